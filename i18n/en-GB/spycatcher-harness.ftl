### Texts of spycatcher-harness in British English. The source of all catalogues is en-US; these texts differ in spelling and
### a few words.

## Errors of the library. Names of arguments are those of the fields of the Python exceptions.

harness-error-invalid-config = invalid configuration: { $message }
harness-error-cassette-not-found = cassette not found: { $cassette_name }
harness-error-request-mismatch = request mismatch at interaction { $interaction_id }: expected { $expected_hash }, observed { $observed_hash }; { $diff_summary }
harness-error-invalid-cassette = invalid cassette: { $message }
harness-error-unsupported-cassette-format-version = unsupported cassette format version { $found }; supported version is { $supported }
harness-error-upstream-request-failed = upstream request failed: { $source }
harness-error-mode-not-yet-implemented = mode not yet implemented: { $mode }
harness-error-io = io failure: { $source }
harness-error-canonical = the request cannot be reduced to its canonical form: { $detail }
harness-error-invalid-pointer-path = invalid JSON Pointer path: "{ $path }"
harness-error-stream-parse = the SSE stream cannot be read: { $detail }
harness-error-stream-invalid-utf8 = SSE stream contained invalid UTF-8: { $detail }
harness-error-stream-incomplete-event = SSE stream ended before the final event was complete

## Help

cli-about = Record conversations with LLM APIs to cassettes and replay them offline.
cli-long-about = Point your program's base URL at the harness. Record once against the real provider, commit the cassette, and from then on replay it: same bytes, no network, no key.
cli-version = { $version }
cli-record-about = Forward requests to the upstream provider and record each exchange.
cli-replay-about = Answer requests from a cassette; never touches the network.
cli-verify-about = Check that a cassette is intact and safe to commit.
cli-auto-about = Replay what the cassette knows and record the rest, as the record mode says.
cli-config-about = Print the effective configuration and where each value comes from.
cli-addon-path-about = Print the path of the add-on file for `mitmdump -s`.

cli-usage = Usage:
cli-heading-commands = Commands:
cli-heading-options = Options:
cli-heading-arguments = Arguments:
cli-heading-examples = Examples:
cli-heading-configuration = Configuration:
cli-group-server = Server:
cli-group-cassette = Cassette:
cli-group-matching = Matching:
cli-group-answers = Answers:
cli-group-faults = Faults:
cli-group-watching = Watching:
cli-group-upstream = Upstream:
cli-group-sources = Configuration sources:
cli-group-messages = Messages:
cli-default = default:
cli-choices = one of:
cli-repeatable = May be repeated.

cli-merge-help = Each setting is taken from the first place that has it:
cli-precedence = CLI > env > config files > defaults
cli-files-help = Files, the strongest first: ./.spycatcher_harness.toml, [tool.spycatcher_harness] in ./pyproject.toml, $XDG_CONFIG_HOME/spycatcher_harness/config.toml, ~/.spycatcher_harness.toml. The settings of a subcommand stand in its table of the cmds namespace: cmds.record, cmds.replay, cmds.verify, cmds.auto.
cli-environment-help = Environment variables are SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY>; a double underscore goes one table down:

cli-option-help = Show this help and exit.
cli-option-version = Show the version and exit.
cli-option-install-completion = Install completion for the current shell.
cli-option-show-completion = Print completion for the current shell, to copy or customise.
cli-option-listen = Address to listen on; port 0 picks a free one.
cli-option-grace = How long running exchanges may finish at shutdown.
cli-option-cassette-dir = Directory of the cassettes.
cli-option-cassette-name = File name of the cassette, exactly as on disk.
cli-option-record-mode = What is replayed and what is recorded.
cli-option-match-mode = In recorded order, or in any order by content.
cli-option-ignore-path = Part of the body left out of comparisons: /metadata/run_id or messages[*].id.
cli-option-normalize = Volatile values replaced before comparing: timestamp, uuid, hex_id, epoch, temp_path or NAME=PATTERN.
cli-option-fail-unused = Exit with code 3 if recorded interactions were never asked for.
cli-option-report = File for requests without a recorded answer, one JSON line each.
cli-option-report-format = What --report is written as.
cli-option-stream-source = What replayed streams are made of.
cli-option-timing = Pace of replayed streams.
cli-option-timing-factor = With --timing scaled: recorded times are multiplied by it.
cli-option-timing-seed = With --timing realistic or demo: decides the jitter.
cli-option-include-failures = Match recorded failures too, and repeat them.
cli-option-keep-failures = Keep exchanges that ended badly, marked as failures.
cli-option-fault = Fault to put into answers, such as status=429,retry_after_s=1,interaction=0.
cli-option-fault-seed = Decides what faults with a probability strike.
cli-option-fault-report = File for the faults and the client's reactions, as JSON.
cli-option-ui = Watch every exchange in a browser (web) or in the terminal (console).
cli-option-ui-port = Port of the page; 0 picks a free one.
cli-option-ui-password = Password that the page asks for, instead of a token in its address.
cli-option-ui-keep = How many exchanges the list keeps.
cli-option-upstream-kind = Provider preset.
cli-option-base-url = Base URL of the provider's API.
cli-option-api-key-env = Name of the environment variable that holds the key.
cli-option-config = Read this file instead of the usual ones.
cli-option-locale = Preferred language of messages.
cli-option-fallback-locale = Language where the preferred one has no text.
cli-argument-subcommand = Subcommand whose configuration is shown.

## Command lines that cannot be parsed. The names begin as they do in the Rust edition of the harness.

clap-error-argument-conflict = argument conflicts with another one: { $argument }
clap-error-format = the command line cannot be understood: { $argument }
clap-error-invalid-subcommand = unknown subcommand { $subcommand }; valid subcommands: { $valid_subcommands }
clap-error-invalid-utf8 = invalid UTF-8 in argument { $argument }
clap-error-invalid-value = invalid value { $value } for { $argument }
clap-error-io = input or output failed: { $argument }
clap-error-missing-argument = missing value for { $argument }
clap-error-missing-subcommand = missing required subcommand; valid subcommands: { $valid_subcommands }
clap-error-no-equals = { $argument } needs an equals sign before its value { $value }
clap-error-too-few-values = too few values for { $argument }: { $actual } given, at least { $min } needed
clap-error-too-many-values = too many values for { $argument }: { $actual } given, { $expected } expected
clap-error-unknown-argument = unknown argument: { $argument }
clap-error-value-validation = invalid value { $value } for { $argument }

cli-expected-listen = expected an IP address with a port, such as 127.0.0.1:8787 or [::1]:0; host names are not accepted
cli-expected-seconds = expected a number of seconds, 0 or more
cli-expected-ignore-path = expected a JSON Pointer (/metadata/run_id) or a dotted path (messages[0].content)
cli-expected-normalize = expected one of timestamp, uuid, hex_id, epoch, temp_path, or NAME=PATTERN for a rule of your own
cli-expected-fault = expected a fault rule such as status=429,interaction=0
cli-expected-factor = expected a number above 0
cli-expected-number = expected a whole number
cli-expected-path = expected the path of a file or folder, not an empty text
cli-expected-port = expected a port from 0 to 65535
cli-expected-count = expected a whole number, 1 or more
cli-expected-password = expected a password of at least one character
cli-expected-choice = expected one of:
cli-did-you-mean = did you mean this?
cli-try-help = For help, try:

## Starting and stopping

cli-start-failed = failed to start harness:
cli-shutdown-failed = failed to shut down harness:
cli-verify-failed = failed to verify cassette:
cli-cassette-not-found-advice = Record it first, or check --cassette-dir and --cassette-name. This file does not exist:
cli-cassette-version-advice = Formats 1 and 2 can be read here. Update spycatcher-harness, or record the cassette again. It is this file:
cli-upstream-missing-advice = Say where to record from, in a configuration file, the environment, or by a flag:
cli-setting-idle = is set and has no effect while replay.timing is
cli-stopping = stopping; a second signal ends at once
cli-ui-address = watch at:
cli-ui-address-with-password = watch, with the password, at:
cli-ui-needs-terminal = the interface in the terminal needs a terminal as standard input and output; run the command in one, or use this instead:
cli-key-missing-optional = the environment variable { $variable }, named by the setting upstream.api_key_env, is unset, empty or not usable; requests go upstream without a key

## Notices at the start

notice-tape-cut-back =
    { $count ->
        [one] cassette { $path } ended in an append that was cut short; cut it back to the { $count } interaction before that
       *[other] cassette { $path } ended in an append that was cut short; cut it back to the { $count } interactions before that
    }
notice-tape-converted = cassette { $path } was of format version { $old }; rewrote it as version { $new }
notice-tape-laid-out = cassette { $path } was not laid out as a recorder leaves it (line ends, byte order mark or another formatter); rewrote it, what was recorded is unchanged
notice-tape-rehashed =
    { $count ->
        [one] cassette { $path } was recorded under other ignore paths or redaction rules; computed the hashes of its { $count } interaction anew. Redaction was not applied to them again: `spycatcher-harness verify` tells whether that is needed
       *[other] cassette { $path } was recorded under other ignore paths or redaction rules; computed the hashes of its { $count } interactions anew. Redaction was not applied to them again: `spycatcher-harness verify` tells whether that is needed
    }
notice-tape-settings-noted = cassette { $path } was empty; noted the present ignore paths and redaction rules in it
notice-tape-unfinished =
    { $count ->
        [one] cassette { $path } ends in an append that is unfinished; read the { $count } interaction before it. Unless a recorder is at work on it now, `spycatcher-harness record` with this cassette repairs it
       *[other] cassette { $path } ends in an append that is unfinished; read the { $count } interactions before it. Unless a recorder is at work on it now, `spycatcher-harness record` with this cassette repairs it
    }
notice-key-missing = the environment variable { $variable } (upstream.api_key_env) is unset, empty or not usable: requests will be answered with 502 until the recorder is started with a key in it
notice-secret-too-short = the value of the environment variable { $variable } (redaction.secret_env) is too short to be told from ordinary text: it is not searched for; use a longer value, or name its place in redaction.body_paths

## Summaries at the end

# Between two parts of a line, spaces included.
cli-joiner-colon = {": "}
cli-joiner-semicolon = {"; "}
log-client-left = not recorded: the client left before its answer was complete
log-upstream-failed = NOT RECORDED: the upstream failed
log-tape-unwritable = NOT RECORDED: the cassette could not be written
log-recorder-failed = NOT RECORDED: the recorder failed
log-not-recorded = NOT RECORDED
log-kept-failure = kept as a failure; replay passes it over unless replay.include_failures is set
log-error-status = recorded an answer with error status
log-recording-failed = recording failed inside the harness; answered 500
log-chunk-failed = the recorder failed on a chunk; the stream goes on unrecorded
log-replay-failed = replay failed inside the harness; answered 500
log-tape-not-found-for-request = the request could not be given to its cassette; answered 500
log-report-unwritable = the replay report could not be written and stays incomplete
log-refusal-unreported = a refused request could not be reported
log-fault = fault in the answer of interaction
log-fault-idle = a fault had nothing to change in interaction
log-list-full = the list is full: older exchanges leave it, and stay on the cassette (ui.keep)
log-resend-failed = the request could not be sent once more
log-tls-unusable = a TLS client cannot be served: the certificate folder below the home directory is unusable
log-tape-changed = the cassette was changed while it is being replayed; start replay again to use what is there now
log-tape-replaced = the cassette was replaced or removed while it is being replayed; going on with what it was, start replay again to use what is there now
log-reason-no-answer = the upstream never answered
log-reason-broken-stream = the stream broke before its end
log-reason-incomplete-event = SSE stream ended before the final event was complete
log-reason-request-coding = the request's content coding could not be undone; its body is kept as it came and was not searched for secrets
log-reason-answer-coding = the answer's content coding could not be undone; it is kept as its bytes came and was not searched for secrets
log-reason-ambiguous-headers = its answer had ambiguous or illegal headers
log-reason-not-http = its answer was not valid HTTP
log-reason-answer-too-long = the answer took too long (upstream.total_timeout_s or upstream.idle_timeout_s)
log-reason-attempt-given-up = the connection attempt was given up
log-reason-untrusted-certificate = the TLS handshake failed: its certificate is not trusted
log-reason-tls-failed = the TLS handshake failed
log-reason-unknown-host = its host name could not be resolved
log-reason-connection-refused = the connection was refused
log-reason-network-unreachable = its network could not be reached
log-reason-connection-reset = the connection was reset
log-reason-connection-closed = the connection was closed before the answer was complete
log-reason-switched-protocols = it switched protocols without being asked to
log-reason-connect-timed-out = the connection timed out (upstream.connect_timeout_s)
log-reason-no-connection = the connection could not be made
log-reason-connection-broke = the connection broke before the answer was complete
cli-recorded =
    { $count ->
        [one] recorded { $count } interaction to
       *[other] recorded { $count } interactions to
    }
cli-recorded-nothing = recorded 0 interactions; this is the base URL that the client has to use:
cli-mitmproxy-address = the address mitmproxy listens on
cli-record-error-statuses =
    { $count ->
        [one] { $count } exchange was recorded with an error status; a replay will answer with the same error
       *[other] { $count } exchanges were recorded with an error status; a replay will answer with the same errors
    }
cli-record-failed =
    { $count ->
        [one] { $count } exchange was not recorded because of a failure; the messages above say why
       *[other] { $count } exchanges were not recorded because of failures; the messages above say why
    }
cli-record-kept-failures =
    { $count ->
        [one] { $count } failed exchange was kept, marked as a failure
       *[other] { $count } failed exchanges were kept, marked as failures
    }
cli-record-abandoned =
    { $count ->
        [one] { $count } exchange was not recorded because the client left early
       *[other] { $count } exchanges were not recorded because the client left early
    }
cli-record-refused =
    { $count ->
        [one] { $count } request was answered by the harness itself and not recorded (unknown path, wrong method, missing key, ...)
       *[other] { $count } requests were answered by the harness itself and not recorded (unknown path, wrong method, missing key, ...)
    }
cli-auto-ci = CI is set, and nobody asked for a recording on the command line or in the environment; replaying only
cli-auto-not-kept = the recording was not kept, because not every exchange was recorded whole; the cassette is as it was
cli-auto-passed-through =
    { $count ->
        [one] passed { $count } request through to the upstream; nothing was recorded
       *[other] passed { $count } requests through to the upstream; nothing was recorded
    }
cli-replayed =
    { $count ->
        [one] replayed { $used } of { $count } interaction from
       *[other] replayed { $used } of { $count } interactions from
    }
cli-unused = interactions never asked for, counted from 0: { $indexes }
cli-mismatched =
    { $count ->
        [one] { $count } request was answered with 409 because nothing recorded matched
       *[other] { $count } requests were answered with 409 because nothing recorded matched
    }
cli-rejected =
    { $count ->
        [one] { $count } request was refused before matching (bad JSON, unknown path, ...)
       *[other] { $count } requests were refused before matching (bad JSON, unknown path, ...)
    }
cli-dropped-headers = recorded headers that cannot be sent were left out: { $names }

## Faults and how the client took them: parts of one line, joined by semicolons

cli-fault-not-applicable = this fault had nothing to change in interaction { $index } ({ $reason }):
cli-fault-never-due = no answer met this fault rule; check its interaction and path:
cli-reaction-retried =
    { $retries ->
        [one] the client retried once, after { $waits_ms } ms
       *[other] the client retried { $retries } times, after { $waits_ms } ms
    }
cli-reaction-gave-up =
    { $retries ->
        [0] the client gave up without retrying
        [one] the client retried once, after { $waits_ms } ms, then gave up
       *[other] the client retried { $retries } times, after { $waits_ms } ms, then gave up
    }
cli-reaction-accepted-half-stream = the client accepted a half stream
cli-reaction-accepted-half-answer = the client accepted a half answer
cli-reaction-accepted-altered-stream = the client accepted the altered stream
cli-reaction-took-answer = the client took the answer
cli-reaction-honoured = Retry-After was honoured
cli-reaction-hasty = Retry-After was not honoured, { $early_ms } ms too early
cli-reaction-left = it hung up before the end
cli-reaction-went-on = other requests followed
cli-reaction-nothing-more = nothing was asked after it

## Findings of `verify`, each behind the file and, where it has one, the number of the interaction

verify-interaction = interaction
verify-clean =
    { $count ->
        [one] { $count } interaction checked, nothing found
       *[other] { $count } interactions checked, nothing found
    }
verify-found =
    { $count ->
        [one] { $count } problem found
       *[other] { $count } problems found
    }
verify-only-warnings =
    { $count ->
        [one] { $count } warning, no problems
       *[other] { $count } warnings, no problems
    }
verify-ignore-paths-drift = recorded with other ignore paths ({ $recorded }) than the configuration has ({ $configured }); use the same ones, or continue the cassette with `record` to have its hashes computed anew
verify-normalize-drift = recorded with other normalize rules ({ $recorded }) than the configuration has ({ $configured }); use the same ones, or continue the cassette with `record` to have its hashes computed anew
verify-ignore-path-misfit = the ignore path { $path } does not fit the request body; correct matching.ignore_paths
verify-hash-missing = the request has no stable_hash; record it again, or write this one: { $computed }
verify-hash-mismatch = stable_hash is { $stored }, but the recorded request gives { $computed }; one of the two was edited
verify-canonical-mismatch = canonical_request does not agree with the recorded request: { $differences }
verify-request-json-mismatch = parsed_json does not agree with the request body; one of the two was edited
verify-request-not-json = the request body is not JSON, so a replay answers 400 to it and never this interaction
verify-response-json-mismatch = parsed_json does not agree with the response body; one of the two was edited
verify-events-mismatch = event { $event } of the stream does not agree with its raw_transcript; one of the two was edited
verify-events-count = there are { $events } events, but raw_transcript gives { $parsed }; one of the two was edited
verify-transcript-unreadable = raw_transcript cannot be read as events: { $problem }
verify-chunks-order = the end offsets of the timing chunks decrease at chunk { $chunk }
verify-chunks-end = the last timing chunk ends at byte { $end }, but raw_transcript has { $length }
verify-chunks-time = the times of the timing chunks decrease at chunk { $chunk }
verify-chunks-ttft = the first timing chunk came at { $first_ms } ms, before ttft_ms, which is { $ttft_ms }
verify-recorded-at = metadata.recorded_at is { $value }; expected a UTC time such as 2026-01-31T12:00:00.000000Z
verify-request-header = the request keeps the header { $name }, which the redaction rules name; remove it
verify-response-header = the response keeps the header { $name }, which the redaction rules name; remove it
verify-secret = { $place } holds a secret (rule { $rule }, SHA-256 { $digest }…); record it again, and replace the secret if the file was shared
verify-query-credential = the query parameter { $name } looks like a credential; make sure that its value is no secret
verify-response-status = the status of the answer is { $status }, which no replay can send: it answers 502 in its place; a status from 200 to 599 is expected
verify-header-not-sendable = the response header { $name } cannot be sent and is left out of replays
verify-event-carriage-return = event { $event } has a carriage return in its data, which a client reads as a line end
verify-stream-without-events = the request asks for a stream, but the answer is a plain one that is not marked answers_stream, so a replay answers 501
verify-redaction-drift = recorded before these redaction rules were in the configuration: { $rules }; what they name is looked for all the same, and `spycatcher-harness scrub` takes it out
verify-event-json-mismatch = parsed_json of event { $event } does not agree with its data; one of the two was edited
verify-chunks-count = chunk_offsets_ms has { $times } times for { $events } events, so nobody can tell which event came when; record it again
verify-recorded-earlier = recorded at { $value }, before interaction { $other } ({ $latest }), which stands in front of it; put them in order, unless cassettes were merged on purpose
verify-duplicate = the same as interaction { $first }, down to the time of recording; remove one of the two
verify-unknown-key = the key { $key } is none of this format and is passed over (nearest: { $nearest }; interactions with it: { $count }); correct or remove it
verify-large = it has { $size } bytes, where { $limit } are worth a notice; make sure that it belongs into the repository
verify-unreadable = cannot be read
verify-unreadable-count =
    { $count ->
        [one] { $count } cassette cannot be read
       *[other] { $count } cassettes cannot be read
    }
verify-summary = cassettes: { $tapes }; clean: { $clean }; with problems: { $findings }; unreadable: { $unreadable }; other files: { $others }

## Commands for cassettes that exist already

cli-ls-about = List the interactions of a cassette.
cli-show-about = Show one interaction as a conversation.
cli-diff-about = Compare two cassettes, wording and behaviour apart.
cli-stats-about = Count tokens, bytes, durations and the estimated cost.
cli-merge-about = Put several cassettes into a new one.
cli-prune-about = Write a copy of a cassette without some of its interactions.
cli-convert-about = Convert between cassette formats, vcrpy, HAR and WireMock.
cli-scrub-about = Apply today's redaction rules to cassettes that exist already.
cli-doctor-about = Check the environment and say how to cure what is wrong.
cli-group-output = Output:
cli-option-json = Print JSON, for programs.
cli-option-raw = Print the recorded bytes of the answer.
cli-option-output = File to write.
cli-option-force = Overwrite the file if it exists.
cli-option-check = Write nothing; exit with code 1 if something would change.
cli-option-format = What is printed: text for people, anything else for programs.
cli-option-strict = Let warnings count as problems.
cli-option-prices = Price table (TOML) for the estimated cost.
cli-option-drop = Interactions to leave out, such as 0,3-5.
cli-option-unused-in = Report of a replay: what nobody asked for is left out.
cli-option-to = Format to write.
cli-argument-cassette = Path of a cassette; the configured one if not given.
cli-argument-cassettes = Paths of cassettes; the configured one if none is given.
cli-argument-tapes = Cassettes, or folders with cassettes; the configured one if none is given.
cli-argument-inputs = Paths of the cassettes, in the order wanted.
cli-argument-source = A cassette, an HTTP archive (HAR) or a cassette of vcrpy.
cli-argument-left = Path of the first cassette.
cli-argument-right = Path of the cassette it is compared with.
cli-argument-number = Index of the interaction, counted from 0.
cli-expected-indexes = expected indexes such as 0,3-5
cli-column-index = index
cli-column-time = time
cli-column-model = model
cli-column-stream = stream
cli-column-status = status
cli-column-input = tokens in
cli-column-output = tokens out
cli-column-bytes = bytes
cli-column-hash = hash
cli-column-interactions = interactions
cli-column-errors = errors
cli-column-streams = streams
cli-column-sent = bytes sent
cli-column-received = bytes received
cli-column-first = first ms
cli-column-whole = whole ms
cli-column-cost = estimated cost
cli-yes = yes
cli-hashes-shortened = Hashes are shortened to 12 of 64 digits; `--json` shows them whole.
cli-tape-empty = the cassette has no interactions
cli-show-missing = there is no interaction { $index }; they are counted from 0, and the last one is { $last }
cli-diff-request = request
cli-diff-behaviour = behaviour
cli-diff-wording = wording
cli-diff-single = only in
cli-diff-same =
    { $count ->
        [one] { $count } interaction, no differences
       *[other] { $count } interactions, no differences
    }
cli-diff-summary = the same: { $same }; other request: { $request }; other behaviour: { $behaviour }; other wording: { $wording }; without a partner: { $single }
cli-stats-total = all
cli-stats-no-usage =
    { $count ->
        [one] { $count } answer does not say how many tokens it took; it is in no sum of tokens or cost
       *[other] { $count } answers do not say how many tokens they took; they are in no sum of tokens or cost
    }
cli-stats-no-price = the price table has no price for:
cli-wrote =
    { $count ->
        [one] wrote { $count } interaction to
       *[other] wrote { $count } interactions to
    }
cli-file-exists = { $path } exists already and was left alone; give another --output, or --force to overwrite it
cli-file-same = { $path } is one of the files that are read; give another --output
cli-file-unreadable = cannot read { $path }: { $reason }; check the path and its permissions
cli-file-unwritable = cannot write { $path }: { $reason }; check the path, its permissions and the room on the disk
cli-file-unconvertible = { $path } cannot be converted: { $problem }
cli-prices-unusable = the price table { $path } cannot be used: { $problem }
cli-convert-verify = redaction takes out what its rules name; look through the bodies, and run `spycatcher-harness verify` before committing the cassette
cli-secrets-carried =
    { $count ->
        [one] { $count } interaction holds what the redaction rules take out, and took it along; run `spycatcher-harness scrub` on the input, then do this again
       *[other] { $count } interactions hold what the redaction rules take out, and took it along; run `spycatcher-harness scrub` on the input, then do this again
    }
cli-prune-nothing-named = nothing says what to leave out; give --drop, or the --report of a replay
cli-prune-no-report = { $path } does not say which interactions were used: { $problem }; give the file that `replay --report` wrote in its default format
cli-prune-other-cassette = { $path } is the report of another cassette, or { $cassette } was changed since (interaction { $index }); replay it again with --report
cli-file-unfinished = { $path } ends in an append that is unfinished and was left alone; stop the recorder, or let `spycatcher-harness record` repair it first
cli-folder-empty = there is no cassette in { $path }; give the path of one, or of another folder
cli-folder-passed-over =
    { $count ->
        [one] passed over { $count } file that is no cassette
       *[other] passed over { $count } files that are no cassettes
    }
cli-scrub-output-misfit = --output goes with one cassette, and not with --check; give one of them up
cli-scrub-unsearched = its content coding is unknown or broken, so it was not searched; look at it yourself, or record it again
cli-scrub-left = a rule names it, but it stands where scrub replaces nothing; take it out by hand, or record it again
cli-scrub-clean = nothing to replace
cli-scrub-would-change =
    { $count ->
        [one] would replace or leave out { $count } value
       *[other] would replace or leave out { $count } values
    }
cli-scrub-changed =
    { $count ->
        [one] replaced or left out { $count } value
       *[other] replaced or left out { $count } values
    }
cli-scrub-converted = written in format version { $version }
cli-loss-event-fields =
    { $count ->
        [one] lost: the event, id or retry field of { $count } event
       *[other] lost: the event, id or retry fields of { $count } events
    }
cli-loss-answers-stream =
    { $count ->
        [one] lost: the mark answers_stream of { $count } answer, without which a replay answers 501 there
       *[other] lost: the mark answers_stream of { $count } answers, without which a replay answers 501 there
    }
cli-loss-failures =
    { $count ->
        [one] lost: that { $count } exchange ended badly; it looks like a good one now
       *[other] lost: that { $count } exchanges ended badly; they look like good ones now
    }
cli-loss-chunk-times =
    { $count ->
        [one] lost: how the bytes of { $count } stream were cut into chunks, and exactly when they came
       *[other] lost: how the bytes of { $count } streams were cut into chunks, and exactly when they came
    }
cli-loss-durations =
    { $count ->
        [one] lost: how long { $count } plain answer took
       *[other] lost: how long { $count } plain answers took
    }
cli-loss-settings =
    { $count ->
        [one] lost: the ignore paths and redaction rules of { $count } cassette
       *[other] lost: the ignore paths and redaction rules of { $count } cassettes
    }
cli-loss-hashes =
    { $count ->
        [one] lost: the hash of { $count } request
       *[other] lost: the hashes of { $count } requests
    }
cli-loss-hosts =
    { $count ->
        [one] not known: the provider's address; { $count } request has a made-up one
       *[other] not known: the provider's address; { $count } requests have a made-up one
    }
cli-loss-times =
    { $count ->
        [one] lost: when { $count } interaction was recorded
       *[other] lost: when { $count } interactions were recorded
    }
cli-loss-foreign =
    { $count ->
        [one] left out: { $count } exchange with another endpoint than the harness answers
       *[other] left out: { $count } exchanges with other endpoints than the harness answers
    }
cli-loss-unusable =
    { $count ->
        [one] left out: { $count } exchange without a whole answer
       *[other] left out: { $count } exchanges without a whole answer
    }
cli-loss-redacted =
    { $count ->
        [one] removed by the redaction rules: { $count } header field
       *[other] removed by the redaction rules: { $count } header fields
    }
cli-loss-secrets =
    { $count ->
        [one] replaced by a token, as the redaction rules say: { $count } secret
       *[other] replaced by tokens, as the redaction rules say: { $count } secrets
    }
cli-doctor-fine = no problems found
cli-doctor-python = install Python { $wanted } or newer, and the harness with it
cli-doctor-mitmproxy = install mitmproxy{ $wanted }, best by installing the harness again
cli-doctor-proxy = clients would send requests for the harness to this proxy; put 127.0.0.1 and localhost into NO_PROXY
cli-doctor-base-url = this variable does not name the harness; run the export line that `record` and `replay` print, in the shell of your program
cli-doctor-key = recording needs a key in this variable, which the setting upstream.api_key_env names; replaying needs none
cli-doctor-port = nothing can listen there; end what uses the address, or pass `--listen 127.0.0.1:0` for a free port
cli-doctor-no-cassette = there is no cassette yet: run `spycatcher-harness record`, or check --cassette-dir and --cassette-name
cli-doctor-ca-folder = clients that speak TLS to the harness need a certificate, and this folder cannot be written; correct its permissions
cli-doctor-ca-open = others can read this private key; run `chmod 600` on the file
cli-doctor-clock = the clock is wrong; set it, because certificates and recorded times depend on it
cli-doctor-clock-drift = the clock of the file system differs by { $seconds } s; set both by the same source
