### spycatcher-harness の日本語テキスト。すべてのカタログの元は en-US。
###
### 人がコピーするものやプログラムが読むものは、テキストの中ではなく隣に置かれる。コロンで終わるテキストの後にはそれが続く。
### 用語: cassette = カセット、interaction = インタラクション、record = 記録、replay = 再生、exchange = やり取り、
### request = リクエスト、answer と response = 応答、upstream = アップストリーム。

## ライブラリのエラー

harness-error-invalid-config = 設定が無効です: { $message }
harness-error-cassette-not-found = カセットが見つかりません: { $cassette_name }
harness-error-request-mismatch = インタラクション { $interaction_id } とリクエストが一致しません: 期待値 { $expected_hash }、実際 { $observed_hash }。{ $diff_summary }
harness-error-invalid-cassette = カセットが無効です: { $message }
harness-error-unsupported-cassette-format-version = カセット形式のバージョン { $found } には対応していません。対応バージョンは { $supported } です
harness-error-upstream-request-failed = アップストリームへのリクエストに失敗しました: { $source }
harness-error-mode-not-yet-implemented = このモードはまだ実装されていません: { $mode }
harness-error-io = 入出力エラー: { $source }
harness-error-canonical = リクエストを正規形にできません: { $detail }
harness-error-invalid-pointer-path = JSON Pointer のパスが無効です: 「{ $path }」
harness-error-stream-parse = SSE ストリームを読み取れません: { $detail }
harness-error-stream-invalid-utf8 = SSE ストリームに無効な UTF-8 が含まれています: { $detail }
harness-error-stream-incomplete-event = 最後のイベントが完了する前に SSE ストリームが終わりました

## ヘルプ

cli-about = LLM API とのやり取りをカセットに記録し、オフラインで再生します。
cli-long-about = プログラムのベース URL をハーネスに向け、本物のプロバイダーで一度だけ記録し、カセットをコミットします。以後はそれを再生します。バイト列は同一で、ネットワークもキーも不要です。
cli-version = { $version }
cli-record-about = リクエストをアップストリームに転送し、やり取りをすべて記録します。
cli-replay-about = カセットからリクエストに応答します。ネットワークには一切接続しません。
cli-verify-about = カセットが壊れておらず、コミットしてよいことを確認します。
cli-auto-about = 記録モードに従い、カセットにあるものは再生し、ないものは記録します。
cli-config-about = 有効な設定と、それぞれの値の出どころを表示します。
cli-addon-path-about = `mitmdump -s` 用アドオンファイルのパスを表示します。

cli-usage = 使い方:
cli-heading-commands = コマンド:
cli-heading-options = オプション:
cli-heading-arguments = 引数:
cli-heading-examples = 例:
cli-heading-configuration = 設定:
cli-group-server = サーバー:
cli-group-cassette = カセット:
cli-group-matching = 照合:
cli-group-answers = 応答:
cli-group-faults = 障害:
cli-group-watching = 観察:
cli-group-upstream = アップストリーム:
cli-group-sources = 設定の読み込み元:
cli-group-messages = メッセージ:
cli-default = 既定値:
cli-choices = 選択肢:
cli-repeatable = 複数回指定できます。

cli-merge-help = それぞれの設定は、最初に見つかった場所の値が使われます:
cli-precedence = コマンドライン > 環境変数 > 設定ファイル > 既定値
cli-files-help = 設定ファイル (優先度の高い順): ./.spycatcher_harness.toml、./pyproject.toml の [tool.spycatcher_harness]、$XDG_CONFIG_HOME/spycatcher_harness/config.toml、~/.spycatcher_harness.toml。サブコマンドの設定は名前空間 cmds のテーブル cmds.record、cmds.replay、cmds.verify、cmds.auto に書きます。
cli-environment-help = 環境変数の名前は SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY> です。二重の下線はテーブルを一段下がります:

cli-option-help = このヘルプを表示して終了します。
cli-option-version = バージョンを表示して終了します。
cli-option-install-completion = 現在のシェルに補完をインストールします。
cli-option-show-completion = 現在のシェルの補完を、コピーや編集用に表示します。
cli-option-listen = 待ち受けるアドレス。ポート 0 で空きポートを選びます。
cli-option-grace = 終了時に進行中のやり取りを待つ時間。
cli-option-cassette-dir = カセットのディレクトリ。
cli-option-cassette-name = カセットのファイル名。ディスク上の名前そのままです。
cli-option-record-mode = 何を再生し、何を記録するか。
cli-option-match-mode = 記録した順、または内容に基づく任意の順。
cli-option-ignore-path = 比較から除く本文の部分: /metadata/run_id や messages[*].id など。
cli-option-normalize = 比較の前に置き換える変わりやすい値: timestamp、uuid、hex_id、epoch、temp_path、または NAME=PATTERN。
cli-option-fail-unused = 一度も要求されないインタラクションがあれば終了コード 3 で終わります。
cli-option-report = 記録された応答のないリクエストを 1 件 1 行の JSON で書き出すファイル。
cli-option-report-format = --report の形式。
cli-option-stream-source = 再生するストリームを何から作るか。
cli-option-timing = 再生するストリームの速さ。
cli-option-timing-factor = --timing scaled のとき、記録した時間に掛ける倍率。
cli-option-timing-seed = --timing realistic または demo のとき、揺らぎを決めます。
cli-option-include-failures = 記録した失敗も照合し、同じように再現します。
cli-option-keep-failures = 途中で失敗したやり取りも、失敗の印を付けて残します。
cli-option-fault = 応答に入れる障害。例: status=429,retry_after_s=1,interaction=0
cli-option-fault-seed = 確率付きの障害のどれが起きるかを決めます。
cli-option-fault-report = 障害とクライアントの反応を JSON で書き出すファイル。
cli-option-ui = すべてのやり取りをブラウザー (web) または端末 (console) で表示します。
cli-option-ui-port = ページのポート。0 なら空いているものを選びます。
cli-option-ui-password = アドレス内のトークンの代わりに、ページが尋ねるパスワード。
cli-option-ui-keep = 一覧に残すやり取りの数。
cli-option-upstream-kind = プロバイダーのプリセット。
cli-option-base-url = プロバイダーの API のベース URL。
cli-option-api-key-env = キーが入っている環境変数の名前。
cli-option-config = 通常のファイルの代わりにこのファイルを読みます。
cli-option-locale = メッセージに使う言語。
cli-option-fallback-locale = その言語にテキストがないときに使う言語。
cli-argument-subcommand = 設定を表示するサブコマンド。

## 解釈できないコマンドライン

clap-error-argument-conflict = 他の引数と同時に使えない引数です: { $argument }
clap-error-format = コマンドラインを解釈できません: { $argument }
clap-error-invalid-subcommand = 不明なサブコマンド { $subcommand }。有効なサブコマンド: { $valid_subcommands }
clap-error-invalid-utf8 = 引数 { $argument } に無効な UTF-8 が含まれています
clap-error-invalid-value = { $argument } の値 { $value } は無効です
clap-error-io = 入出力に失敗しました: { $argument }
clap-error-missing-argument = { $argument } の値がありません
clap-error-missing-subcommand = サブコマンドが必要です。有効なサブコマンド: { $valid_subcommands }
clap-error-no-equals = { $argument } の値 { $value } の前には等号が必要です
clap-error-too-few-values = { $argument } の値が足りません: { $actual } 個指定、最低 { $min } 個必要
clap-error-too-many-values = { $argument } の値が多すぎます: { $actual } 個指定、{ $expected } 個まで
clap-error-unknown-argument = 不明な引数: { $argument }
clap-error-value-validation = { $argument } の値 { $value } は無効です

cli-expected-listen = 127.0.0.1:8787 や [::1]:0 のような、IP アドレスとポートを指定してください。ホスト名は使えません
cli-expected-seconds = 0 以上の秒数を指定してください
cli-expected-ignore-path = JSON Pointer (/metadata/run_id) または点区切りのパス (messages[0].content) を指定してください
cli-expected-normalize = timestamp、uuid、hex_id、epoch、temp_path、または独自の規則の NAME=PATTERN を指定してください
cli-expected-fault = status=429,interaction=0 のような障害ルールを指定してください
cli-expected-factor = 0 より大きい数を指定してください
cli-expected-number = 整数を指定してください
cli-expected-path = 空ではない、ファイルまたはフォルダーのパスを指定してください
cli-expected-port = 0 から 65535 までのポートを指定してください
cli-expected-count = 1 以上の整数を指定してください
cli-expected-password = 1 文字以上のパスワードを指定してください
cli-expected-choice = 次のいずれかを指定してください:
cli-did-you-mean = もしかして:
cli-try-help = ヘルプの表示:

## 起動と終了

cli-start-failed = ハーネスを起動できません:
cli-shutdown-failed = ハーネスを終了できません:
cli-verify-failed = カセットを検証できません:
cli-cassette-not-found-advice = 先に記録するか、--cassette-dir と --cassette-name を確認してください。存在しないファイル:
cli-cassette-version-advice = ここで読めるのは形式 1 と 2 です。spycatcher-harness を更新するか、カセットを記録し直してください。対象のファイル:
cli-upstream-missing-advice = 記録元を設定ファイル、環境変数、またはフラグで指定してください:
cli-setting-idle = が設定されていますが、効果がありません。現在の replay.timing:
cli-stopping = 終了しています。もう一度シグナルを送ると直ちに終了します
cli-ui-address = 表示するアドレス:
cli-ui-address-with-password = パスワードを使って表示するアドレス:
cli-ui-needs-terminal = 端末での表示には、標準入力と標準出力が端末である必要があります。端末で実行するか、代わりに次を使ってください:
cli-key-missing-optional = 設定 upstream.api_key_env が示す環境変数 { $variable } が未設定か空、または使えない値です。リクエストはキーなしで送られます

## 起動時のお知らせ

notice-tape-cut-back =
    { $count ->
       *[other] カセット { $path } は追記の途中で切れていたため、その前の { $count } 件のインタラクションまで切り詰めました
    }
notice-tape-converted = カセット { $path } は形式バージョン { $old } だったため、バージョン { $new } に書き直しました
notice-tape-laid-out = カセット { $path } の体裁がハーネスの書いたものと異なるため (改行、バイト順マーク、別の整形ツールなど)、書き直しました。記録内容は変わりません
notice-tape-rehashed =
    { $count ->
       *[other] カセット { $path } は別の無視パスまたは秘匿ルールで記録されていたため、{ $count } 件のインタラクションのハッシュを計算し直しました。秘匿は再適用していません。必要かどうかは `spycatcher-harness verify` で確認できます
    }
notice-tape-settings-noted = カセット { $path } は空だったため、現在の無視パスと秘匿ルールを書き込みました
notice-tape-unfinished =
    { $count ->
       *[other] カセット { $path } は追記の途中で終わっているため、その前の { $count } 件のインタラクションを読みました。いま記録中でなければ、このカセットで `spycatcher-harness record` を実行すると修復されます
    }
notice-key-missing = 環境変数 { $variable } (upstream.api_key_env) が未設定か空、または使えない値です。キーを設定して起動し直すまで、リクエストには 502 を返します
notice-secret-too-short = 環境変数 { $variable }（redaction.secret_env）の値は短すぎて通常のテキストと区別できないため、検索されません。より長い値を使うか、その場所を redaction.body_paths に指定してください

## 終了時のまとめ

# 一行の部品のあいだに入る記号 (空白も含む)。
cli-joiner-colon = {": "}
cli-joiner-semicolon = {"; "}
log-client-left = 記録していません: 応答が完了する前にクライアントが切断しました
log-upstream-failed = 記録していません: アップストリームが失敗しました
log-tape-unwritable = 記録していません: カセットに書き込めませんでした
log-recorder-failed = 記録していません: レコーダーが失敗しました
log-not-recorded = 記録していません
log-kept-failure = 失敗として残しました。replay.include_failures を設定しない限り再生では飛ばされます
log-error-status = エラーステータスの応答を記録しました:
log-recording-failed = ハーネス内部で記録に失敗しました。500 を返しました
log-chunk-failed = レコーダーがチャンクの処理に失敗しました。ストリームは記録せずに続けます
log-replay-failed = ハーネス内部で再生に失敗しました。500 を返しました
log-tape-not-found-for-request = リクエストを対応するカセットに渡せませんでした。500 を返しました
log-report-unwritable = 再生レポートを書き込めなかったため、不完全なままです
log-refusal-unreported = 拒否したリクエストを報告できませんでした
log-fault = 応答に障害を入れました。インタラクション
log-fault-idle = 障害の対象がありませんでした。インタラクション
log-list-full = 一覧がいっぱいです。古いやり取りは一覧から外れますが、カセットには残ります (ui.keep)
log-resend-failed = リクエストを再送できませんでした
log-tls-unusable = TLS クライアントに応答できません。ホームディレクトリの証明書フォルダーが使えません
log-tape-changed = 再生中にカセットが変更されました。現在の内容を使うには replay をもう一度起動してください
log-tape-replaced = 再生中にカセットが置き換えられたか削除されました。元の内容で続けます。現在の内容を使うには replay をもう一度起動してください
log-reason-no-answer = アップストリームが応答しませんでした
log-reason-broken-stream = ストリームが終わる前に切れました
log-reason-incomplete-event = 最後のイベントが完結する前に SSE ストリームが終わりました
log-reason-request-coding = リクエストのコンテンツ符号化を解除できませんでした。本文は受け取ったまま残し、秘密は検索していません
log-reason-answer-coding = 応答のコンテンツ符号化を解除できませんでした。受け取ったまま残し、秘密は検索していません
log-reason-ambiguous-headers = 応答のヘッダーがあいまいか不正でした
log-reason-not-http = 応答が正しい HTTP ではありませんでした
log-reason-answer-too-long = 応答に時間がかかりすぎました (upstream.total_timeout_s または upstream.idle_timeout_s)
log-reason-attempt-given-up = 接続の試みを中止しました
log-reason-untrusted-certificate = TLS ハンドシェイクに失敗しました。証明書が信頼されていません
log-reason-tls-failed = TLS ハンドシェイクに失敗しました
log-reason-unknown-host = ホスト名を解決できませんでした
log-reason-connection-refused = 接続が拒否されました
log-reason-network-unreachable = ネットワークに到達できませんでした
log-reason-connection-reset = 接続がリセットされました
log-reason-connection-closed = 応答が完了する前に接続が閉じられました
log-reason-switched-protocols = 要求していないのにプロトコルを切り替えました
log-reason-connect-timed-out = 接続に時間がかかりすぎました (upstream.connect_timeout_s)
log-reason-no-connection = 接続できませんでした
log-reason-connection-broke = 応答が完了する前に接続が切れました
cli-recorded =
    { $count ->
       *[other] { $count } 件のインタラクションを記録しました:
    }
cli-recorded-nothing = 記録されたインタラクションは 0 件です。クライアントには次のベース URL を指定してください:
cli-mitmproxy-address = mitmproxy が待ち受けるアドレス
cli-record-error-statuses =
    { $count ->
       *[other] { $count } 件のやり取りがエラーステータスのまま記録されました。再生でも同じエラーを返します
    }
cli-record-failed =
    { $count ->
       *[other] { $count } 件のやり取りが失敗のため記録されませんでした。理由は上のメッセージにあります
    }
cli-record-kept-failures =
    { $count ->
       *[other] 失敗した { $count } 件のやり取りを、失敗の印を付けて残しました
    }
cli-record-abandoned =
    { $count ->
       *[other] { $count } 件のやり取りが、クライアントが先に切断したため記録されませんでした
    }
cli-record-refused =
    { $count ->
       *[other] { $count } 件のリクエストにはハーネス自身が応答し、記録しませんでした (不明なパス、誤ったメソッド、キーなしなど)
    }
cli-auto-ci = CI が設定されていますが、コマンドラインでも環境変数でも記録が指定されていないため、再生だけを行います
cli-auto-not-kept = 完全に記録できなかったやり取りがあるため、今回の記録は破棄しました。カセットは元のままです
cli-auto-passed-through =
    { $count ->
       *[other] { $count } 件のリクエストをそのまま上流へ送りました。何も記録していません
    }
cli-replayed =
    { $count ->
       *[other] { $count } 件のインタラクションのうち { $used } 件を再生しました:
    }
cli-unused = 一度も要求されなかったインタラクション (0 から数えた番号): { $indexes }
cli-mismatched =
    { $count ->
       *[other] { $count } 件のリクエストは、一致する記録がないため 409 で応答しました
    }
cli-rejected =
    { $count ->
       *[other] { $count } 件のリクエストを照合前に拒否しました (不正な JSON、不明なパスなど)
    }
cli-dropped-headers = 送信できない記録済みヘッダーを省きました: { $names }

## 障害とクライアントの反応: セミコロンでつながれる一行の部品

cli-fault-not-applicable = インタラクション { $index } にはこの障害が変えるものがありませんでした ({ $reason }):
cli-fault-never-due = この障害ルールに当たる応答がありませんでした。interaction と path を確認してください:
cli-reaction-retried =
    { $retries ->
       *[other] クライアントは { $retries } 回再試行しました (待ち時間 { $waits_ms } ミリ秒)
    }
cli-reaction-gave-up =
    { $retries ->
        [0] クライアントは再試行せずに諦めました
       *[other] クライアントは { $retries } 回再試行し (待ち時間 { $waits_ms } ミリ秒)、諦めました
    }
cli-reaction-accepted-half-stream = クライアントは途中で切れたストリームを受け入れました
cli-reaction-accepted-half-answer = クライアントは途中で切れた応答を受け入れました
cli-reaction-accepted-altered-stream = クライアントは改変されたストリームを受け入れました
cli-reaction-took-answer = クライアントは応答を受け取りました
cli-reaction-honoured = Retry-After は守られました
cli-reaction-hasty = Retry-After は守られず、{ $early_ms } ミリ秒早すぎました
cli-reaction-left = 終わる前に切断しました
cli-reaction-went-on = 別のリクエストが続きました
cli-reaction-nothing-more = その後のリクエストはありませんでした

## `verify` の検出結果

verify-interaction = インタラクション
verify-clean =
    { $count ->
       *[other] { $count } 件のインタラクションを検証し、問題はありませんでした
    }
verify-found =
    { $count ->
       *[other] { $count } 件の問題が見つかりました
    }
verify-only-warnings =
    { $count ->
       *[other] 警告 { $count } 件、問題はありませんでした
    }
verify-ignore-paths-drift = 記録時の無視パス ({ $recorded }) が設定 ({ $configured }) と異なります。同じものを使うか、`record` で続けて記録し、ハッシュを計算し直してください
verify-normalize-drift = 記録時の正規化規則 ({ $recorded }) が設定 ({ $configured }) と異なります。同じものを使うか、`record` で続けて記録し、ハッシュを計算し直してください
verify-ignore-path-misfit = 無視パス { $path } がリクエストの本文に合いません。matching.ignore_paths を直してください
verify-hash-missing = リクエストに stable_hash がありません。記録し直すか、次の値を書いてください: { $computed }
verify-hash-mismatch = stable_hash は { $stored } ですが、記録されたリクエストからは { $computed } になります。どちらかが編集されています
verify-canonical-mismatch = canonical_request が記録されたリクエストと一致しません: { $differences }
verify-request-json-mismatch = parsed_json がリクエストの本文と一致しません。どちらかが編集されています
verify-request-not-json = リクエストの本文が JSON ではないため、再生では 400 を返し、このインタラクションは使われません
verify-response-json-mismatch = parsed_json が応答の本文と一致しません。どちらかが編集されています
verify-events-mismatch = ストリームのイベント { $event } が raw_transcript と一致しません。どちらかが編集されています
verify-events-count = イベントは { $events } 個ありますが、raw_transcript からは { $parsed } 個になります。どちらかが編集されています
verify-transcript-unreadable = raw_transcript をイベントとして読み取れません: { $problem }
verify-chunks-order = チャンク { $chunk } で終了位置が前より小さくなっています
verify-chunks-end = 最後のチャンクは { $end } バイト目で終わりますが、raw_transcript は { $length } バイトです
verify-chunks-time = チャンク { $chunk } で時刻が前より小さくなっています
verify-chunks-ttft = 最初のチャンクの時刻 { $first_ms } ミリ秒が ttft_ms の { $ttft_ms } より前です
verify-recorded-at = metadata.recorded_at が { $value } です。2026-01-31T12:00:00.000000Z のような UTC 時刻にしてください
verify-request-header = 秘匿ルールにあるヘッダー { $name } がリクエストに残っています。削除してください
verify-response-header = 秘匿ルールにあるヘッダー { $name } が応答に残っています。削除してください
verify-secret = { $place } に秘密情報が含まれています（規則 { $rule }、SHA-256 { $digest }…）。記録し直し、ファイルを共有していた場合は秘密情報を取り替えてください
verify-query-credential = クエリパラメーター { $name } は認証情報のようです。値が秘密でないことを確認してください
verify-response-status = 応答のステータスが { $status } で、再生では送信できず 502 で応答します。200 から 599 までのステータスにしてください
verify-header-not-sendable = 応答ヘッダー { $name } は送信できないため、再生では省かれます
verify-event-carriage-return = イベント { $event } のデータに復帰文字があり、クライアントは行末として読みます
verify-stream-without-events = リクエストはストリームを求めていますが、応答は通常のもので answers_stream の印がないため、再生では 501 を返します
verify-redaction-drift = 次の秘匿ルールが設定に加わる前に記録されています: { $rules }。その対象はそれでも検索されます。取り除くには `spycatcher-harness scrub` を使ってください
verify-event-json-mismatch = イベント { $event } の parsed_json がデータと一致しません。どちらかが編集されています
verify-chunks-count = chunk_offsets_ms の時刻が { $times } 個、イベントが { $events } 個で、どのイベントがいつ届いたか分かりません。記録し直してください
verify-recorded-earlier = 記録時刻 { $value } が、前に並ぶインタラクション { $other } ({ $latest }) より前です。意図してカセットを結合したのでなければ、順序を直してください
verify-duplicate = インタラクション { $first } と記録時刻まで同じです。どちらかを取り除いてください
verify-unknown-key = キー { $key } はこの形式になく、無視されます（近いキー: { $nearest }、含むインタラクション: { $count }）。訂正するか取り除いてください
verify-large = 全体で { $size } バイトあり、目安の { $limit } バイト以上です。リポジトリに置くべきものか確認してください
verify-unreadable = 読み込めません
verify-unreadable-count =
    { $count ->
       *[other] { $count } 個のカセットを読み込めません
    }
verify-summary = カセット: { $tapes }、問題なし: { $clean }、問題あり: { $findings }、読み込み不可: { $unreadable }、その他のファイル: { $others }

## 既存のカセットを扱うコマンド

cli-ls-about = カセットのインタラクションを一覧表示します。
cli-show-about = インタラクションを会話として表示します。
cli-diff-about = 2 つのカセットを、文言と動作を分けて比較します。
cli-stats-about = トークン、バイト数、所要時間、概算費用を集計します。
cli-merge-about = 複数のカセットを新しい 1 つにまとめます。
cli-prune-about = 一部のインタラクションを除いたカセットの写しを書き出します。
cli-convert-about = カセット形式、vcrpy、HAR、WireMock の間で変換します。
cli-scrub-about = 既存のカセットに現在の秘匿ルールを適用します。
cli-doctor-about = 環境を調べ、問題とその直し方を示します。
cli-group-output = 出力:
cli-option-json = プログラム向けに JSON を出力します。
cli-option-raw = 記録された応答のバイト列をそのまま出力します。
cli-option-output = 書き出すファイル。
cli-option-force = ファイルがあれば上書きします。
cli-option-check = 何も書き込みません。変更が必要なら終了コード 1 で終わります。
cli-option-format = 出力の形式。text は人向け、その他はプログラム向け。
cli-option-strict = 警告も問題として数えます。
cli-option-prices = 概算費用のための価格表 (TOML)。
cli-option-drop = 除くインタラクション。例: 0,3-5
cli-option-unused-in = 再生のレポート。要求されなかったものを取り除きます。
cli-option-to = 書き出す形式。
cli-argument-cassette = カセットのパス。省略すると設定のカセット。
cli-argument-cassettes = カセットのパス (複数可)。省略すると設定のカセット。
cli-argument-tapes = カセット、またはカセットのあるフォルダー。省略時は設定のカセット。
cli-argument-inputs = カセットのパス。並べたい順に指定します。
cli-argument-source = カセット、HTTP アーカイブ (HAR)、または vcrpy のカセット。
cli-argument-left = 1 つ目のカセットのパス。
cli-argument-right = 比較するカセットのパス。
cli-argument-number = インタラクションの番号 (0 から数えます)。
cli-expected-indexes = 0,3-5 のような番号を指定してください
cli-column-index = 番号
cli-column-time = 時刻
cli-column-model = モデル
cli-column-stream = ストリーム
cli-column-status = ステータス
cli-column-input = 入力トークン
cli-column-output = 出力トークン
cli-column-bytes = バイト
cli-column-hash = ハッシュ
cli-column-interactions = インタラクション
cli-column-errors = エラー
cli-column-streams = ストリーム
cli-column-sent = 送信バイト
cli-column-received = 受信バイト
cli-column-first = 最初 ms
cli-column-whole = 全体 ms
cli-column-cost = 概算費用
cli-yes = はい
cli-hashes-shortened = ハッシュは 64 桁のうち 12 桁に短縮しています。`--json` ですべて表示されます。
cli-tape-empty = カセットにインタラクションがありません
cli-show-missing = インタラクション { $index } はありません。0 から数え、最後は { $last } です
cli-diff-request = リクエスト
cli-diff-behaviour = 動作
cli-diff-wording = 文言
cli-diff-single = 次のカセットにのみあります:
cli-diff-same =
    { $count ->
       *[other] { $count } 件のインタラクション、違いはありません
    }
cli-diff-summary = 同じ: { $same }、リクエストが異なる: { $request }、動作が異なる: { $behaviour }、文言が異なる: { $wording }、相手がない: { $single }
cli-stats-total = 合計
cli-stats-no-usage =
    { $count ->
       *[other] トークン数のない応答が { $count } 件あり、トークンと費用の合計に含まれていません
    }
cli-stats-no-price = 価格表に価格のないモデル:
cli-wrote =
    { $count ->
       *[other] { $count } 件のインタラクションを書き出しました:
    }
cli-file-exists = { $path } はすでにあるため変更しませんでした。別の --output を指定するか、--force で上書きしてください
cli-file-same = { $path } は読み込むファイルの 1 つです。別の --output を指定してください
cli-file-unreadable = { $path } を読み取れません: { $reason }。パスとアクセス権を確認してください
cli-file-unwritable = { $path } に書き込めません: { $reason }。パス、アクセス権、ディスクの空きを確認してください
cli-file-unconvertible = { $path } を変換できません: { $problem }
cli-prices-unusable = 価格表 { $path } を使えません: { $problem }
cli-convert-verify = 秘匿したのはルールにあるものだけです。本文を確認し、コミットする前に `spycatcher-harness verify` を実行してください
cli-secrets-carried =
    { $count ->
       *[other] 秘匿ルールの対象が { $count } 件のインタラクションに残ったまま引き継がれました。入力に `spycatcher-harness scrub` を実行してから、やり直してください
    }
cli-prune-nothing-named = 取り除くものが指定されていません。--drop か、再生の --report を指定してください
cli-prune-no-report = { $path } からは、どのインタラクションが使われたか分かりません: { $problem }。`replay --report` が既定の形式で書いたファイルを指定してください
cli-prune-other-cassette = { $path } は別のカセットのレポートか、{ $cassette } がその後に変更されています (インタラクション { $index })。--report を付けて再生し直してください
cli-file-unfinished = { $path } は書き込み途中の追記で終わっているため、変更していません。レコーダーを止めるか、先に `spycatcher-harness record` で修復してください
cli-folder-empty = { $path } にカセットがありません。カセットのパスか別のフォルダーを指定してください
cli-folder-passed-over =
    { $count ->
       *[other] カセットではない { $count } 個のファイルを飛ばしました
    }
cli-scrub-output-misfit = --output はカセット 1 つのときだけ使え、--check とは併用できません。どちらかをやめてください
cli-scrub-unsearched = コンテンツ符号化が不明または壊れているため、検索していません。自分で確認するか、記録し直してください
cli-scrub-left = ルールの対象ですが、scrub が置き換えない場所にあります。手作業で取り除くか、記録し直してください
cli-scrub-clean = 置き換えるものはありません
cli-scrub-would-change =
    { $count ->
       *[other] { $count } 個の値を置き換えるか取り除くことになります
    }
cli-scrub-changed =
    { $count ->
       *[other] { $count } 個の値を置き換えるか取り除きました
    }
cli-scrub-converted = 形式バージョン { $version } で書き込みました
cli-loss-event-fields =
    { $count ->
       *[other] 失われたもの: { $count } 件のイベントの event、id、retry フィールド
    }
cli-loss-answers-stream =
    { $count ->
       *[other] 失われたもの: { $count } 件の応答の answers_stream の印。これがないと再生で 501 になります
    }
cli-loss-failures =
    { $count ->
       *[other] 失われたもの: { $count } 件のやり取りが失敗だったこと。正常なものに見えます
    }
cli-loss-chunk-times =
    { $count ->
       *[other] 失われたもの: { $count } 件のストリームのチャンクの区切りと正確な時刻
    }
cli-loss-durations =
    { $count ->
       *[other] 失われたもの: { $count } 件の通常の応答にかかった時間
    }
cli-loss-settings =
    { $count ->
       *[other] 失われたもの: { $count } 件のカセットの無視パスと秘匿ルール
    }
cli-loss-hashes =
    { $count ->
       *[other] 失われたもの: { $count } 件のリクエストのハッシュ
    }
cli-loss-hosts =
    { $count ->
       *[other] 不明なもの: プロバイダーのアドレス。{ $count } 件のリクエストに仮のアドレスを入れました
    }
cli-loss-times =
    { $count ->
       *[other] 失われたもの: { $count } 件のインタラクションの記録時刻
    }
cli-loss-foreign =
    { $count ->
       *[other] 除いたもの: ハーネスが応答しないエンドポイントとのやり取り { $count } 件
    }
cli-loss-unusable =
    { $count ->
       *[other] 除いたもの: 完全な応答のないやり取り { $count } 件
    }
cli-loss-redacted =
    { $count ->
       *[other] 秘匿ルールで削除したもの: ヘッダー { $count } 件
    }
cli-loss-secrets =
    { $count ->
       *[other] 秘匿ルールによりトークンに置き換えたもの: 秘密情報 { $count } 件
    }
cli-doctor-fine = 問題は見つかりませんでした
cli-doctor-python = Python { $wanted } 以降を入れ、それでハーネスを入れ直してください
cli-doctor-mitmproxy = mitmproxy{ $wanted } が必要です。ハーネスを入れ直すのが確実です
cli-doctor-proxy = クライアントがハーネス宛てのリクエストをこのプロキシに送ってしまいます。NO_PROXY に 127.0.0.1 と localhost を入れてください
cli-doctor-base-url = この変数はハーネスを指していません。`record` と `replay` が表示する export の行を、プログラムのシェルで実行してください
cli-doctor-key = 記録には、upstream.api_key_env が指すこの変数にキーが必要です。再生には不要です
cli-doctor-port = このアドレスでは待ち受けできません。使っているものを止めるか、`--listen 127.0.0.1:0` で空きポートを使ってください
cli-doctor-no-cassette = カセットがまだありません。`spycatcher-harness record` を実行するか、--cassette-dir と --cassette-name を確認してください
cli-doctor-ca-folder = TLS で接続するクライアントには証明書が必要ですが、このフォルダーに書き込めません。アクセス権を直してください
cli-doctor-ca-open = この秘密鍵は他の人にも読めます。ファイルに `chmod 600` を実行してください
cli-doctor-clock = 時計が合っていません。証明書と記録時刻に影響するため、合わせてください
cli-doctor-clock-drift = ファイルシステムの時計が { $seconds } 秒ずれています。両方を同じ時刻源に合わせてください
