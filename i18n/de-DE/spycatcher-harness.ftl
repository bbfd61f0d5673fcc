### Texte von spycatcher-harness auf Deutsch. Quelle aller Kataloge ist en-US.
###
### Was jemand kopiert oder ein Programm liest, steht neben diesen Texten, nicht in ihnen. Auf einen Text mit Doppelpunkt am
### Ende folgt ein solcher Teil. Begriffe: cassette = Kassette, interaction = Interaktion, record = aufzeichnen,
### replay = wiedergeben, exchange = Austausch, request = Anfrage, answer und response = Antwort.

## Fehler der Bibliothek

harness-error-invalid-config = ungültige Konfiguration: { $message }
harness-error-cassette-not-found = Kassette nicht gefunden: { $cassette_name }
harness-error-request-mismatch = Anfrage passt nicht zu Interaktion { $interaction_id }: erwartet { $expected_hash }, erhalten { $observed_hash }; { $diff_summary }
harness-error-invalid-cassette = ungültige Kassette: { $message }
harness-error-unsupported-cassette-format-version = Kassettenformat der Version { $found } wird nicht unterstützt; unterstützt wird Version { $supported }
harness-error-upstream-request-failed = Anfrage an den Upstream fehlgeschlagen: { $source }
harness-error-mode-not-yet-implemented = Modus noch nicht implementiert: { $mode }
harness-error-io = Ein-/Ausgabefehler: { $source }
harness-error-canonical = die Anfrage lässt sich nicht auf ihre kanonische Form bringen: { $detail }
harness-error-invalid-pointer-path = ungültiger JSON-Pointer: „{ $path }“
harness-error-stream-parse = der SSE-Stream ist nicht lesbar: { $detail }
harness-error-stream-invalid-utf8 = der SSE-Stream enthielt ungültiges UTF-8: { $detail }
harness-error-stream-incomplete-event = der SSE-Stream endete, bevor das letzte Ereignis vollständig war

## Hilfe

cli-about = Gespräche mit LLM-APIs auf Kassetten aufzeichnen und offline wiedergeben.
cli-long-about = Die Basis-URL des Programms auf den Harness zeigen lassen, einmal beim echten Anbieter aufzeichnen, die Kassette einchecken und sie von da an wiedergeben: dieselben Bytes, kein Netz, kein Schlüssel.
cli-version = { $version }
cli-record-about = Anfragen an den Upstream weiterleiten und jeden Austausch aufzeichnen.
cli-replay-about = Anfragen aus einer Kassette beantworten; das Netz bleibt unberührt.
cli-verify-about = Prüfen, ob eine Kassette unversehrt ist und eingecheckt werden darf.
cli-auto-about = Bekanntes aus der Kassette wiedergeben, den Rest aufzeichnen, je nach Aufzeichnungsmodus.
cli-config-about = Die wirksame Konfiguration und die Herkunft jedes Werts ausgeben.
cli-addon-path-about = Den Pfad der Add-on-Datei für `mitmdump -s` ausgeben.

cli-usage = Aufruf:
cli-heading-commands = Befehle:
cli-heading-options = Optionen:
cli-heading-arguments = Argumente:
cli-heading-examples = Beispiele:
cli-heading-configuration = Konfiguration:
cli-group-server = Server:
cli-group-cassette = Kassette:
cli-group-matching = Zuordnung:
cli-group-answers = Antworten:
cli-group-faults = Störungen:
cli-group-watching = Zusehen:
cli-group-upstream = Upstream:
cli-group-sources = Quellen der Konfiguration:
cli-group-messages = Meldungen:
cli-default = Vorgabe:
cli-choices = möglich:
cli-repeatable = Mehrfach möglich.

cli-merge-help = Jede Einstellung kommt von der ersten Stelle, die sie hat:
cli-precedence = Befehlszeile > Umgebung > Konfigurationsdateien > Vorgaben
cli-files-help = Dateien, die stärkste zuerst: ./.spycatcher_harness.toml, [tool.spycatcher_harness] in ./pyproject.toml, $XDG_CONFIG_HOME/spycatcher_harness/config.toml, ~/.spycatcher_harness.toml. Die Einstellungen eines Unterbefehls stehen in seiner Tabelle im Namensraum cmds: cmds.record, cmds.replay, cmds.verify, cmds.auto.
cli-environment-help = Umgebungsvariablen heißen SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY>; ein doppelter Unterstrich führt eine Tabelle tiefer:

cli-option-help = Diese Hilfe anzeigen und beenden.
cli-option-version = Die Version anzeigen und beenden.
cli-option-install-completion = Vervollständigung für die aktuelle Shell einrichten.
cli-option-show-completion = Vervollständigung für die aktuelle Shell ausgeben, zum Kopieren oder Anpassen.
cli-option-listen = Adresse, an der gelauscht wird; Port 0 wählt einen freien.
cli-option-grace = Wie lange laufende Austausche beim Beenden noch Zeit haben.
cli-option-cassette-dir = Verzeichnis der Kassetten.
cli-option-cassette-name = Dateiname der Kassette, genau wie auf der Platte.
cli-option-record-mode = Was wiedergegeben und was aufgezeichnet wird.
cli-option-match-mode = In aufgezeichneter oder, nach Inhalt, in beliebiger Reihenfolge.
cli-option-ignore-path = Teil des Rumpfs, der nicht verglichen wird: /metadata/run_id oder messages[*].id.
cli-option-normalize = Veränderliche Werte, vor dem Vergleich ersetzt: timestamp, uuid, hex_id, epoch, temp_path oder NAME=MUSTER.
cli-option-fail-unused = Mit Code 3 enden, wenn Interaktionen nie abgefragt wurden.
cli-option-report = Datei für Anfragen ohne aufgezeichnete Antwort, je eine JSON-Zeile.
cli-option-report-format = Format von --report.
cli-option-stream-source = Woraus wiedergegebene Streams bestehen.
cli-option-timing = Tempo wiedergegebener Streams.
cli-option-timing-factor = Mit --timing scaled: Faktor für die aufgezeichneten Zeiten.
cli-option-timing-seed = Mit --timing realistic oder demo: bestimmt die Schwankung.
cli-option-include-failures = Auch aufgezeichnete Fehlschläge zuordnen und wiederholen.
cli-option-keep-failures = Misslungene Austausche behalten, als Fehlschläge markiert.
cli-option-fault = Störung für Antworten, etwa status=429,retry_after_s=1,interaction=0.
cli-option-fault-seed = Bestimmt, welche Störungen mit Wahrscheinlichkeit eintreten.
cli-option-fault-report = Datei für die Störungen und die Reaktionen des Clients, als JSON.
cli-option-ui = Jeden Austausch im Browser (web) oder im Terminal (console) verfolgen.
cli-option-ui-port = Port der Seite; 0 wählt einen freien.
cli-option-ui-password = Passwort, nach dem die Seite fragt, statt eines Tokens in ihrer Adresse.
cli-option-ui-keep = Wie viele Austausche die Liste behält.
cli-option-upstream-kind = Voreinstellung für einen Anbieter.
cli-option-base-url = Basis-URL der API des Anbieters.
cli-option-api-key-env = Name der Umgebungsvariablen mit dem Schlüssel.
cli-option-config = Diese Datei statt der üblichen lesen.
cli-option-locale = Bevorzugte Sprache der Meldungen.
cli-option-fallback-locale = Sprache, wo die bevorzugte keinen Text hat.
cli-argument-subcommand = Unterbefehl, dessen Konfiguration gezeigt wird.

## Befehlszeilen, die sich nicht lesen lassen

clap-error-argument-conflict = Argument verträgt sich nicht mit einem anderen: { $argument }
clap-error-format = die Befehlszeile ist nicht verständlich: { $argument }
clap-error-invalid-subcommand = unbekannter Unterbefehl { $subcommand }; gültige Unterbefehle: { $valid_subcommands }
clap-error-invalid-utf8 = ungültiges UTF-8 im Argument { $argument }
clap-error-invalid-value = ungültiger Wert { $value } für { $argument }
clap-error-io = Ein- oder Ausgabe fehlgeschlagen: { $argument }
clap-error-missing-argument = fehlender Wert für { $argument }
clap-error-missing-subcommand = Unterbefehl fehlt; gültige Unterbefehle: { $valid_subcommands }
clap-error-no-equals = { $argument } braucht ein Gleichheitszeichen vor dem Wert { $value }
clap-error-too-few-values = zu wenige Werte für { $argument }: { $actual } angegeben, mindestens { $min } nötig
clap-error-too-many-values = zu viele Werte für { $argument }: { $actual } angegeben, { $expected } erwartet
clap-error-unknown-argument = unbekanntes Argument: { $argument }
clap-error-value-validation = ungültiger Wert { $value } für { $argument }

cli-expected-listen = erwartet wird eine IP-Adresse mit Port, etwa 127.0.0.1:8787 oder [::1]:0; Rechnernamen sind nicht erlaubt
cli-expected-seconds = erwartet wird eine Anzahl Sekunden, 0 oder mehr
cli-expected-ignore-path = erwartet wird ein JSON-Pointer (/metadata/run_id) oder ein Pfad mit Punkten (messages[0].content)
cli-expected-normalize = erwartet wird timestamp, uuid, hex_id, epoch, temp_path oder NAME=MUSTER für eine eigene Regel
cli-expected-fault = erwartet wird eine Störungsregel wie status=429,interaction=0
cli-expected-factor = erwartet wird eine Zahl über 0
cli-expected-number = erwartet wird eine ganze Zahl
cli-expected-path = erwartet wird der Pfad einer Datei oder eines Ordners, kein leerer Text
cli-expected-port = erwartet wird ein Port von 0 bis 65535
cli-expected-count = erwartet wird eine ganze Zahl ab 1
cli-expected-password = erwartet wird ein Passwort aus mindestens einem Zeichen
cli-expected-choice = erwartet wird eines von:
cli-did-you-mean = war das gemeint?
cli-try-help = Hilfe gibt es mit:

## Start und Ende

cli-start-failed = Harness konnte nicht gestartet werden:
cli-shutdown-failed = Harness konnte nicht beendet werden:
cli-verify-failed = Kassette konnte nicht geprüft werden:
cli-cassette-not-found-advice = Erst aufzeichnen, oder --cassette-dir und --cassette-name prüfen. Diese Datei gibt es nicht:
cli-cassette-version-advice = Lesbar sind hier die Formate 1 und 2. Aktualisieren Sie spycatcher-harness, oder nehmen Sie die Kassette neu auf. Es ist diese Datei:
cli-upstream-missing-advice = Geben Sie an, wovon aufgezeichnet werden soll: in einer Konfigurationsdatei, in der Umgebung oder mit einer Option:
cli-setting-idle = ist gesetzt und bewirkt nichts, solange replay.timing so steht:
cli-stopping = wird beendet; ein zweites Signal bricht sofort ab
cli-ui-address = zusehen unter:
cli-ui-address-with-password = zusehen, mit dem Passwort, unter:
cli-ui-needs-terminal = die Oberfläche im Terminal braucht ein Terminal als Standardeingabe und -ausgabe; führen Sie den Befehl in einem aus, oder nehmen Sie stattdessen:
cli-key-missing-optional = die Umgebungsvariable { $variable }, genannt in der Einstellung upstream.api_key_env, ist nicht gesetzt, leer oder unbrauchbar; Anfragen gehen ohne Schlüssel an den Upstream

## Hinweise beim Start

notice-tape-cut-back =
    { $count ->
        [one] Kassette { $path } endete in einem abgebrochenen Anhängen; auf die { $count } Interaktion davor gekürzt
       *[other] Kassette { $path } endete in einem abgebrochenen Anhängen; auf die { $count } Interaktionen davor gekürzt
    }
notice-tape-converted = Kassette { $path } hatte Formatversion { $old }; als Version { $new } neu geschrieben
notice-tape-laid-out = Kassette { $path } war nicht so angeordnet, wie der Harness sie hinterlässt (Zeilenenden, Byte-Order-Mark oder ein anderer Formatierer); neu geschrieben, das Aufgezeichnete ist unverändert
notice-tape-rehashed =
    { $count ->
        [one] Kassette { $path } wurde mit anderen Ignorierpfaden oder Schwärzungsregeln aufgezeichnet; die Hashes ihrer { $count } Interaktion wurden neu berechnet. Geschwärzt wurde nicht noch einmal: `spycatcher-harness verify` sagt, ob das nötig ist
       *[other] Kassette { $path } wurde mit anderen Ignorierpfaden oder Schwärzungsregeln aufgezeichnet; die Hashes ihrer { $count } Interaktionen wurden neu berechnet. Geschwärzt wurde nicht noch einmal: `spycatcher-harness verify` sagt, ob das nötig ist
    }
notice-tape-settings-noted = Kassette { $path } war leer; die jetzigen Ignorierpfade und Schwärzungsregeln wurden darin vermerkt
notice-tape-unfinished =
    { $count ->
        [one] Kassette { $path } endet in einem unfertigen Anhängen; die { $count } Interaktion davor wurde gelesen. Falls gerade niemand darauf aufzeichnet, repariert `spycatcher-harness record` mit dieser Kassette sie
       *[other] Kassette { $path } endet in einem unfertigen Anhängen; die { $count } Interaktionen davor wurden gelesen. Falls gerade niemand darauf aufzeichnet, repariert `spycatcher-harness record` mit dieser Kassette sie
    }
notice-key-missing = die Umgebungsvariable { $variable } (upstream.api_key_env) ist nicht gesetzt, leer oder unbrauchbar: Anfragen werden mit 502 beantwortet, bis mit einem Schlüssel darin neu gestartet wird
notice-secret-too-short = der Wert der Umgebungsvariable { $variable } (redaction.secret_env) ist zu kurz, um ihn von gewöhnlichem Text zu unterscheiden: nach ihm wird nicht gesucht; einen längeren Wert verwenden oder seine Stelle in redaction.body_paths nennen

## Zusammenfassungen am Ende

# Zwischen zwei Teilen einer Zeile, mit den Leerzeichen.
cli-joiner-colon = {": "}
cli-joiner-semicolon = {"; "}
log-client-left = nicht aufgezeichnet: Der Client ging, bevor seine Antwort vollständig war
log-upstream-failed = NICHT AUFGEZEICHNET: Der Upstream hat versagt
log-tape-unwritable = NICHT AUFGEZEICHNET: Die Kassette konnte nicht geschrieben werden
log-recorder-failed = NICHT AUFGEZEICHNET: Der Rekorder hat versagt
log-not-recorded = NICHT AUFGEZEICHNET
log-kept-failure = als Fehlschlag behalten; die Wiedergabe übergeht ihn, solange replay.include_failures nicht gesetzt ist
log-error-status = Antwort mit Fehlerstatus aufgezeichnet:
log-recording-failed = Die Aufzeichnung ist im Harness selbst fehlgeschlagen; mit 500 beantwortet
log-chunk-failed = Der Rekorder hat an einem Stück versagt; der Stream läuft ohne Aufzeichnung weiter
log-replay-failed = Die Wiedergabe ist im Harness selbst fehlgeschlagen; mit 500 beantwortet
log-tape-not-found-for-request = Die Anfrage konnte ihrer Kassette nicht zugeordnet werden; mit 500 beantwortet
log-report-unwritable = Der Wiedergabebericht konnte nicht geschrieben werden und bleibt unvollständig
log-refusal-unreported = Eine abgewiesene Anfrage konnte nicht berichtet werden
log-fault = Störung in die Antwort eingebaut, Interaktion
log-fault-idle = Eine Störung fand nichts zu ändern, Interaktion
log-list-full = Die Liste ist voll: Ältere Austausche verlassen sie und bleiben auf der Kassette (ui.keep)
log-resend-failed = Die Anfrage konnte nicht noch einmal gesendet werden
log-tls-unusable = Ein TLS-Client kann nicht bedient werden: Der Zertifikatsordner im Home-Verzeichnis ist unbrauchbar
log-tape-changed = Die Kassette wurde geändert, während sie wiedergegeben wird; replay neu starten, um zu verwenden, was jetzt dort steht
log-tape-replaced = Die Kassette wurde ersetzt oder entfernt, während sie wiedergegeben wird; weiter mit dem, was sie war, replay neu starten, um zu verwenden, was jetzt dort steht
log-reason-no-answer = der Upstream hat nie geantwortet
log-reason-broken-stream = der Stream brach vor seinem Ende ab
log-reason-incomplete-event = der SSE-Stream endete, bevor das letzte Ereignis vollständig war
log-reason-request-coding = die Inhaltskodierung der Anfrage ließ sich nicht auflösen; ihr Rumpf wird behalten, wie er kam, und wurde nicht nach Geheimnissen durchsucht
log-reason-answer-coding = die Inhaltskodierung der Antwort ließ sich nicht auflösen; sie wird behalten, wie sie kam, und wurde nicht nach Geheimnissen durchsucht
log-reason-ambiguous-headers = seine Antwort hatte mehrdeutige oder unzulässige Header
log-reason-not-http = seine Antwort war kein gültiges HTTP
log-reason-answer-too-long = die Antwort dauerte zu lange (upstream.total_timeout_s oder upstream.idle_timeout_s)
log-reason-attempt-given-up = der Verbindungsversuch wurde aufgegeben
log-reason-untrusted-certificate = der TLS-Handshake ist fehlgeschlagen: seinem Zertifikat wird nicht vertraut
log-reason-tls-failed = der TLS-Handshake ist fehlgeschlagen
log-reason-unknown-host = sein Hostname ließ sich nicht auflösen
log-reason-connection-refused = die Verbindung wurde abgelehnt
log-reason-network-unreachable = sein Netz war nicht erreichbar
log-reason-connection-reset = die Verbindung wurde zurückgesetzt
log-reason-connection-closed = die Verbindung wurde geschlossen, bevor die Antwort vollständig war
log-reason-switched-protocols = er wechselte unaufgefordert das Protokoll
log-reason-connect-timed-out = der Verbindungsaufbau dauerte zu lange (upstream.connect_timeout_s)
log-reason-no-connection = die Verbindung kam nicht zustande
log-reason-connection-broke = die Verbindung brach ab, bevor die Antwort vollständig war
cli-recorded =
    { $count ->
        [one] { $count } Interaktion aufgezeichnet auf
       *[other] { $count } Interaktionen aufgezeichnet auf
    }
cli-recorded-nothing = 0 Interaktionen aufgezeichnet; der Client muss diese Basis-URL verwenden:
cli-mitmproxy-address = die Adresse, auf der mitmproxy lauscht
cli-record-error-statuses =
    { $count ->
        [one] { $count } Austausch wurde mit einem Fehlerstatus aufgezeichnet; die Wiedergabe antwortet mit demselben Fehler
       *[other] { $count } Austausche wurden mit einem Fehlerstatus aufgezeichnet; die Wiedergabe antwortet mit denselben Fehlern
    }
cli-record-failed =
    { $count ->
        [one] { $count } Austausch wurde wegen eines Fehlers nicht aufgezeichnet; die Meldungen oben sagen, warum
       *[other] { $count } Austausche wurden wegen Fehlern nicht aufgezeichnet; die Meldungen oben sagen, warum
    }
cli-record-kept-failures =
    { $count ->
        [one] { $count } fehlgeschlagener Austausch wurde behalten und als Fehler gekennzeichnet
       *[other] { $count } fehlgeschlagene Austausche wurden behalten und als Fehler gekennzeichnet
    }
cli-record-abandoned =
    { $count ->
        [one] { $count } Austausch wurde nicht aufgezeichnet, weil der Client vorzeitig ging
       *[other] { $count } Austausche wurden nicht aufgezeichnet, weil der Client vorzeitig ging
    }
cli-record-refused =
    { $count ->
        [one] { $count } Anfrage wurde vom Harness selbst beantwortet und nicht aufgezeichnet (unbekannter Pfad, falsche Methode, fehlender Schlüssel, ...)
       *[other] { $count } Anfragen wurden vom Harness selbst beantwortet und nicht aufgezeichnet (unbekannter Pfad, falsche Methode, fehlender Schlüssel, ...)
    }
cli-auto-ci = CI ist gesetzt, und weder Befehlszeile noch Umgebung verlangen eine Aufzeichnung; es wird nur wiedergegeben
cli-auto-not-kept = die Aufzeichnung wurde verworfen, weil nicht jeder Austausch vollständig aufgezeichnet wurde; die Kassette ist unverändert
cli-auto-passed-through =
    { $count ->
        [one] { $count } Anfrage an den Upstream durchgereicht; nichts wurde aufgezeichnet
       *[other] { $count } Anfragen an den Upstream durchgereicht; nichts wurde aufgezeichnet
    }
cli-replayed =
    { $count ->
        [one] { $used } von { $count } Interaktion wiedergegeben aus
       *[other] { $used } von { $count } Interaktionen wiedergegeben aus
    }
cli-unused = nie abgefragte Interaktionen, gezählt ab 0: { $indexes }
cli-mismatched =
    { $count ->
        [one] { $count } Anfrage wurde mit 409 beantwortet, weil keine Aufzeichnung passte
       *[other] { $count } Anfragen wurden mit 409 beantwortet, weil keine Aufzeichnung passte
    }
cli-rejected =
    { $count ->
        [one] { $count } Anfrage wurde vor der Zuordnung abgelehnt (fehlerhaftes JSON, unbekannter Pfad, ...)
       *[other] { $count } Anfragen wurden vor der Zuordnung abgelehnt (fehlerhaftes JSON, unbekannter Pfad, ...)
    }
cli-dropped-headers = aufgezeichnete Header, die sich nicht senden lassen, wurden weggelassen: { $names }

## Störungen und wie der Client sie aufnahm: Teile einer Zeile, durch Strichpunkte verbunden

cli-fault-not-applicable = diese Störung fand in Interaktion { $index } nichts zu ändern ({ $reason }):
cli-fault-never-due = auf keine Antwort passte diese Störungsregel; interaction und path darin prüfen:
cli-reaction-retried =
    { $retries ->
        [one] der Client versuchte es einmal erneut, nach { $waits_ms } ms
       *[other] der Client versuchte es { $retries }-mal erneut, nach { $waits_ms } ms
    }
cli-reaction-gave-up =
    { $retries ->
        [0] der Client gab auf, ohne es erneut zu versuchen
        [one] der Client versuchte es einmal erneut, nach { $waits_ms } ms, und gab dann auf
       *[other] der Client versuchte es { $retries }-mal erneut, nach { $waits_ms } ms, und gab dann auf
    }
cli-reaction-accepted-half-stream = der Client nahm einen halben Stream hin
cli-reaction-accepted-half-answer = der Client nahm eine halbe Antwort hin
cli-reaction-accepted-altered-stream = der Client nahm den veränderten Stream hin
cli-reaction-took-answer = der Client nahm die Antwort an
cli-reaction-honoured = Retry-After wurde beachtet
cli-reaction-hasty = Retry-After wurde nicht beachtet, { $early_ms } ms zu früh
cli-reaction-left = er legte vor dem Ende auf
cli-reaction-went-on = andere Anfragen folgten
cli-reaction-nothing-more = danach wurde nichts mehr angefragt

## Befunde von `verify`

verify-interaction = Interaktion
verify-clean =
    { $count ->
        [one] { $count } Interaktion geprüft, nichts gefunden
       *[other] { $count } Interaktionen geprüft, nichts gefunden
    }
verify-found =
    { $count ->
        [one] { $count } Problem gefunden
       *[other] { $count } Probleme gefunden
    }
verify-only-warnings =
    { $count ->
        [one] { $count } Warnung, keine Probleme
       *[other] { $count } Warnungen, keine Probleme
    }
verify-ignore-paths-drift = mit anderen Ignorierpfaden aufgezeichnet ({ $recorded }), als die Konfiguration hat ({ $configured }); dieselben verwenden, oder die Kassette mit `record` fortsetzen, damit ihre Hashes neu berechnet werden
verify-normalize-drift = mit anderen Normalisierungsregeln aufgezeichnet ({ $recorded }), als die Konfiguration hat ({ $configured }); dieselben verwenden, oder die Kassette mit `record` fortsetzen, damit ihre Hashes neu berechnet werden
verify-ignore-path-misfit = der Ignorierpfad { $path } passt nicht zum Rumpf der Anfrage; matching.ignore_paths berichtigen
verify-hash-missing = der Anfrage fehlt stable_hash; neu aufzeichnen, oder diesen eintragen: { $computed }
verify-hash-mismatch = stable_hash ist { $stored }, aber die aufgezeichnete Anfrage ergibt { $computed }; eines von beiden wurde bearbeitet
verify-canonical-mismatch = canonical_request stimmt nicht mit der aufgezeichneten Anfrage überein: { $differences }
verify-request-json-mismatch = parsed_json stimmt nicht mit dem Rumpf der Anfrage überein; eines von beiden wurde bearbeitet
verify-request-not-json = der Rumpf der Anfrage ist kein JSON; die Wiedergabe antwortet darauf mit 400 und nie mit dieser Interaktion
verify-response-json-mismatch = parsed_json stimmt nicht mit dem Rumpf der Antwort überein; eines von beiden wurde bearbeitet
verify-events-mismatch = Ereignis { $event } des Streams stimmt nicht mit raw_transcript überein; eines von beiden wurde bearbeitet
verify-events-count = es gibt { $events } Ereignisse, raw_transcript ergibt aber { $parsed }; eines von beiden wurde bearbeitet
verify-transcript-unreadable = raw_transcript lässt sich nicht als Ereignisse lesen: { $problem }
verify-chunks-order = die Endpositionen der Zeitangaben fallen bei Stück { $chunk }
verify-chunks-end = das letzte Stück der Zeitangaben endet bei Byte { $end }, raw_transcript hat aber { $length }
verify-chunks-time = die Zeiten fallen bei Stück { $chunk }
verify-chunks-ttft = das erste Stück kam nach { $first_ms } ms, vor ttft_ms mit { $ttft_ms }
verify-recorded-at = metadata.recorded_at ist { $value }; erwartet wird eine UTC-Zeit wie 2026-01-31T12:00:00.000000Z
verify-request-header = die Anfrage enthält noch den Header { $name }, den die Schwärzungsregeln nennen; entfernen
verify-response-header = die Antwort enthält noch den Header { $name }, den die Schwärzungsregeln nennen; entfernen
verify-secret = { $place } enthält ein Geheimnis (Regel { $rule }, SHA-256 { $digest }…); neu aufzeichnen und das Geheimnis ersetzen, falls die Datei weitergegeben wurde
verify-query-credential = der Query-Parameter { $name } sieht nach Zugangsdaten aus; sicherstellen, dass sein Wert kein Geheimnis ist
verify-response-status = der Status der Antwort ist { $status }, den keine Wiedergabe senden kann: sie antwortet stattdessen mit 502; erwartet wird ein Status von 200 bis 599
verify-header-not-sendable = der Antwort-Header { $name } lässt sich nicht senden und wird bei der Wiedergabe weggelassen
verify-event-carriage-return = Ereignis { $event } hat einen Wagenrücklauf in den Daten, den ein Client als Zeilenende liest
verify-stream-without-events = die Anfrage verlangt einen Stream, aber die Antwort ist gewöhnlich und nicht mit answers_stream markiert; die Wiedergabe antwortet mit 501
verify-redaction-drift = aufgezeichnet, bevor diese Schwärzungsregeln in der Konfiguration standen: { $rules }; was sie nennen, wird trotzdem gesucht, und `spycatcher-harness scrub` nimmt es heraus
verify-event-json-mismatch = parsed_json des Ereignisses { $event } passt nicht zu seinen Daten; eines von beiden wurde bearbeitet
verify-chunks-count = chunk_offsets_ms hat { $times } Zeiten für { $events } Ereignisse; welches wann kam, ist nicht zu erkennen; neu aufzeichnen
verify-recorded-earlier = aufgezeichnet um { $value }, vor der Interaktion { $other } ({ $latest }), die davor steht; die Reihenfolge berichtigen, falls nicht absichtlich Kassetten zusammengefügt wurden
verify-duplicate = dieselbe wie Interaktion { $first }, bis auf den Zeitpunkt der Aufzeichnung genau; eine von beiden entfernen
verify-unknown-key = der Schlüssel { $key } gehört nicht zu diesem Format und wird übergangen (am ähnlichsten: { $nearest }; Interaktionen damit: { $count }); berichtigen oder entfernen
verify-large = sie hat { $size } Bytes, ab { $limit } wird darauf hingewiesen; prüfen, ob sie ins Repository gehört
verify-unreadable = nicht lesbar
verify-unreadable-count =
    { $count ->
        [one] { $count } Kassette ist nicht lesbar
       *[other] { $count } Kassetten sind nicht lesbar
    }
verify-summary = Kassetten: { $tapes }; sauber: { $clean }; mit Problemen: { $findings }; nicht lesbar: { $unreadable }; andere Dateien: { $others }

## Befehle für vorhandene Kassetten

cli-ls-about = Die Interaktionen einer Kassette auflisten.
cli-show-about = Eine Interaktion als Gespräch anzeigen.
cli-diff-about = Zwei Kassetten vergleichen, Wortlaut und Verhalten getrennt.
cli-stats-about = Tokens, Bytes, Dauern und geschätzte Kosten zusammenzählen.
cli-merge-about = Mehrere Kassetten zu einer neuen zusammenfügen.
cli-prune-about = Eine Kopie einer Kassette ohne einige ihrer Interaktionen schreiben.
cli-convert-about = Zwischen Kassettenformaten, vcrpy, HAR und WireMock umwandeln.
cli-scrub-about = Die heutigen Schwärzungsregeln auf vorhandene Kassetten anwenden.
cli-doctor-about = Die Umgebung prüfen und sagen, was gegen Mängel hilft.
cli-group-output = Ausgabe:
cli-option-json = JSON für Programme ausgeben.
cli-option-raw = Die aufgezeichneten Bytes der Antwort ausgeben.
cli-option-output = Zu schreibende Datei.
cli-option-force = Die Datei überschreiben, falls sie existiert.
cli-option-check = Nichts schreiben; mit Code 1 enden, wenn sich etwas ändern würde.
cli-option-format = Was ausgegeben wird: Text für Menschen, alles andere für Programme.
cli-option-strict = Warnungen als Probleme zählen.
cli-option-prices = Preistabelle (TOML) für die geschätzten Kosten.
cli-option-drop = Wegzulassende Interaktionen, etwa 0,3-5.
cli-option-unused-in = Bericht einer Wiedergabe: was niemand angefragt hat, wird weggelassen.
cli-option-to = Zielformat.
cli-argument-cassette = Pfad einer Kassette; ohne Angabe die konfigurierte.
cli-argument-cassettes = Pfade von Kassetten; ohne Angabe die konfigurierte.
cli-argument-tapes = Kassetten oder Ordner mit Kassetten; ohne Angabe die konfigurierte.
cli-argument-inputs = Pfade der Kassetten, in der gewünschten Reihenfolge.
cli-argument-source = Eine Kassette, ein HTTP-Archiv (HAR) oder eine Kassette von vcrpy.
cli-argument-left = Pfad der ersten Kassette.
cli-argument-right = Pfad der Kassette, mit der verglichen wird.
cli-argument-number = Nummer der Interaktion, gezählt ab 0.
cli-expected-indexes = erwartet werden Nummern wie 0,3-5
cli-column-index = Nr.
cli-column-time = Zeit
cli-column-model = Modell
cli-column-stream = Stream
cli-column-status = Status
cli-column-input = Tokens ein
cli-column-output = Tokens aus
cli-column-bytes = Bytes
cli-column-hash = Hash
cli-column-interactions = Interaktionen
cli-column-errors = Fehler
cli-column-streams = Streams
cli-column-sent = Bytes gesendet
cli-column-received = Bytes empfangen
cli-column-first = erstes Stück ms
cli-column-whole = gesamt ms
cli-column-cost = geschätzte Kosten
cli-yes = ja
cli-hashes-shortened = Hashes sind auf 12 von 64 Stellen gekürzt; `--json` zeigt sie ganz.
cli-tape-empty = die Kassette enthält keine Interaktionen
cli-show-missing = es gibt keine Interaktion { $index }; gezählt wird ab 0, die letzte ist { $last }
cli-diff-request = Anfrage
cli-diff-behaviour = Verhalten
cli-diff-wording = Wortlaut
cli-diff-single = nur in
cli-diff-same =
    { $count ->
        [one] { $count } Interaktion, keine Unterschiede
       *[other] { $count } Interaktionen, keine Unterschiede
    }
cli-diff-summary = gleich: { $same }; andere Anfrage: { $request }; anderes Verhalten: { $behaviour }; anderer Wortlaut: { $wording }; ohne Gegenstück: { $single }
cli-stats-total = alle
cli-stats-no-usage =
    { $count ->
        [one] { $count } Antwort nennt keine Tokens; in den Summen von Tokens und Kosten fehlt sie
       *[other] { $count } Antworten nennen keine Tokens; in den Summen von Tokens und Kosten fehlen sie
    }
cli-stats-no-price = in der Preistabelle fehlt ein Preis für:
cli-wrote =
    { $count ->
        [one] { $count } Interaktion geschrieben nach
       *[other] { $count } Interaktionen geschrieben nach
    }
cli-file-exists = { $path } existiert schon und blieb unverändert; ein anderes --output angeben, oder --force zum Überschreiben
cli-file-same = { $path } gehört zu den gelesenen Dateien; ein anderes --output angeben
cli-file-unreadable = { $path } ist nicht lesbar: { $reason }; Pfad und Zugriffsrechte prüfen
cli-file-unwritable = { $path } ist nicht beschreibbar: { $reason }; Pfad, Zugriffsrechte und freien Speicherplatz prüfen
cli-file-unconvertible = { $path } lässt sich nicht umwandeln: { $problem }
cli-prices-unusable = die Preistabelle { $path } ist nicht verwendbar: { $problem }
cli-convert-verify = geschwärzt wurde, was die Regeln nennen; die Rümpfe durchsehen und vor dem Einchecken `spycatcher-harness verify` ausführen
cli-secrets-carried =
    { $count ->
        [one] { $count } Interaktion enthält, was die Schwärzungsregeln nennen, und hat es mitgenommen; `spycatcher-harness scrub` auf die Eingabe anwenden und dies wiederholen
       *[other] { $count } Interaktionen enthalten, was die Schwärzungsregeln nennen, und haben es mitgenommen; `spycatcher-harness scrub` auf die Eingabe anwenden und dies wiederholen
    }
cli-prune-nothing-named = es fehlt, was wegzulassen ist; --drop oder den --report einer Wiedergabe angeben
cli-prune-no-report = { $path } sagt nicht, welche Interaktionen benutzt wurden: { $problem }; die Datei angeben, die `replay --report` im Standardformat geschrieben hat
cli-prune-other-cassette = { $path } ist der Bericht einer anderen Kassette, oder { $cassette } wurde seither geändert (Interaktion { $index }); noch einmal mit --report wiedergeben
cli-file-unfinished = { $path } endet in einem unfertigen Anhang und wurde nicht angetastet; den Rekorder anhalten oder sie zuerst mit `spycatcher-harness record` reparieren lassen
cli-folder-empty = in { $path } ist keine Kassette; den Pfad einer Kassette oder einen anderen Ordner angeben
cli-folder-passed-over =
    { $count ->
        [one] { $count } Datei übergangen, die keine Kassette ist
       *[other] { $count } Dateien übergangen, die keine Kassetten sind
    }
cli-scrub-output-misfit = --output passt nur zu einer einzelnen Kassette und nicht zu --check; auf eines davon verzichten
cli-scrub-unsearched = die Inhaltskodierung ist unbekannt oder beschädigt, daher nicht durchsucht; selbst nachsehen oder neu aufzeichnen
cli-scrub-left = eine Regel nennt es, aber es steht, wo scrub nichts ersetzt; von Hand entfernen oder neu aufzeichnen
cli-scrub-clean = nichts zu ersetzen
cli-scrub-would-change =
    { $count ->
        [one] { $count } Wert würde ersetzt oder weggelassen
       *[other] { $count } Werte würden ersetzt oder weggelassen
    }
cli-scrub-changed =
    { $count ->
        [one] { $count } Wert ersetzt oder weggelassen
       *[other] { $count } Werte ersetzt oder weggelassen
    }
cli-scrub-converted = in Formatversion { $version } geschrieben
cli-loss-event-fields =
    { $count ->
        [one] verloren: das Feld event, id oder retry von { $count } Ereignis
       *[other] verloren: die Felder event, id oder retry von { $count } Ereignissen
    }
cli-loss-answers-stream =
    { $count ->
        [one] verloren: die Markierung answers_stream von { $count } Antwort; ohne sie antwortet die Wiedergabe dort mit 501
       *[other] verloren: die Markierung answers_stream von { $count } Antworten; ohne sie antwortet die Wiedergabe dort mit 501
    }
cli-loss-failures =
    { $count ->
        [one] verloren: dass { $count } Austausch misslang; er sieht jetzt gelungen aus
       *[other] verloren: dass { $count } Austausche misslangen; sie sehen jetzt gelungen aus
    }
cli-loss-chunk-times =
    { $count ->
        [one] verloren: wie die Bytes von { $count } Stream zerteilt waren und wann genau sie kamen
       *[other] verloren: wie die Bytes von { $count } Streams zerteilt waren und wann genau sie kamen
    }
cli-loss-durations =
    { $count ->
        [one] verloren: wie lange { $count } einfache Antwort gedauert hat
       *[other] verloren: wie lange { $count } einfache Antworten gedauert haben
    }
cli-loss-settings =
    { $count ->
        [one] verloren: Ignorierpfade und Schwärzungsregeln von { $count } Kassette
       *[other] verloren: Ignorierpfade und Schwärzungsregeln von { $count } Kassetten
    }
cli-loss-hashes =
    { $count ->
        [one] verloren: der Hash von { $count } Anfrage
       *[other] verloren: die Hashes von { $count } Anfragen
    }
cli-loss-hosts =
    { $count ->
        [one] nicht bekannt: die Adresse des Anbieters; { $count } Anfrage hat eine erfundene
       *[other] nicht bekannt: die Adresse des Anbieters; { $count } Anfragen haben eine erfundene
    }
cli-loss-times =
    { $count ->
        [one] verloren: wann { $count } Interaktion aufgezeichnet wurde
       *[other] verloren: wann { $count } Interaktionen aufgezeichnet wurden
    }
cli-loss-foreign =
    { $count ->
        [one] weggelassen: { $count } Austausch mit einem Endpunkt, den der Harness nicht bedient
       *[other] weggelassen: { $count } Austausche mit Endpunkten, die der Harness nicht bedient
    }
cli-loss-unusable =
    { $count ->
        [one] weggelassen: { $count } Austausch ohne vollständige Antwort
       *[other] weggelassen: { $count } Austausche ohne vollständige Antwort
    }
cli-loss-redacted =
    { $count ->
        [one] durch die Schwärzungsregeln entfernt: { $count } Header
       *[other] durch die Schwärzungsregeln entfernt: { $count } Header-Felder
    }
cli-loss-secrets =
    { $count ->
        [one] nach den Schwärzungsregeln durch eine Marke ersetzt: { $count } Geheimnis
       *[other] nach den Schwärzungsregeln durch Marken ersetzt: { $count } Geheimnisse
    }
cli-doctor-fine = keine Probleme gefunden
cli-doctor-python = Python { $wanted } oder neuer installieren, und damit den Harness
cli-doctor-mitmproxy = mitmproxy{ $wanted } installieren, am besten durch erneutes Installieren des Harness
cli-doctor-proxy = Clients würden Anfragen an den Harness zu diesem Proxy schicken; 127.0.0.1 und localhost in NO_PROXY aufnehmen
cli-doctor-base-url = diese Variable zeigt nicht auf den Harness; die export-Zeile, die `record` und `replay` ausgeben, in der Shell des Programms ausführen
cli-doctor-key = zum Aufzeichnen muss diese Variable, genannt in upstream.api_key_env, einen Schlüssel enthalten; zum Wiedergeben nicht
cli-doctor-port = dort kann nichts lauschen; beenden, was die Adresse benutzt, oder mit `--listen 127.0.0.1:0` einen freien Port nehmen
cli-doctor-no-cassette = noch keine Kassette da: `spycatcher-harness record` ausführen, oder --cassette-dir und --cassette-name prüfen
cli-doctor-ca-folder = Clients, die mit dem Harness TLS sprechen, brauchen ein Zertifikat, aber dieser Ordner ist nicht beschreibbar; Zugriffsrechte berichtigen
cli-doctor-ca-open = andere können diesen privaten Schlüssel lesen; `chmod 600` auf die Datei anwenden
cli-doctor-clock = die Uhr geht falsch; stellen, denn Zertifikate und aufgezeichnete Zeiten hängen davon ab
cli-doctor-clock-drift = die Uhr des Dateisystems weicht um { $seconds } s ab; beide nach derselben Quelle stellen
