### Textes de spycatcher-harness en français. La source de tous les catalogues est en-US.
###
### Ce que l'on copie ou qu'un programme lit se trouve à côté de ces textes, pas dedans. Un texte qui finit par un deux-points
### est suivi d'un tel élément. Termes : cassette = cassette, interaction = interaction, record = enregistrer,
### replay = rejouer, exchange = échange, request = requête, answer et response = réponse.

## Erreurs de la bibliothèque

harness-error-invalid-config = configuration invalide : { $message }
harness-error-cassette-not-found = cassette introuvable : { $cassette_name }
harness-error-request-mismatch = la requête ne correspond pas à l'interaction { $interaction_id } : attendu { $expected_hash }, observé { $observed_hash } ; { $diff_summary }
harness-error-invalid-cassette = cassette invalide : { $message }
harness-error-unsupported-cassette-format-version = version { $found } du format de cassette non prise en charge ; version prise en charge : { $supported }
harness-error-upstream-request-failed = échec de la requête vers le fournisseur : { $source }
harness-error-mode-not-yet-implemented = mode pas encore implémenté : { $mode }
harness-error-io = erreur d'entrée-sortie : { $source }
harness-error-canonical = impossible de réduire la requête à sa forme canonique : { $detail }
harness-error-invalid-pointer-path = chemin JSON Pointer invalide : « { $path } »
harness-error-stream-parse = flux SSE illisible : { $detail }
harness-error-stream-invalid-utf8 = le flux SSE contenait de l'UTF-8 invalide : { $detail }
harness-error-stream-incomplete-event = le flux SSE s'est arrêté avant la fin du dernier événement

## Aide

cli-about = Enregistre des conversations avec des API de LLM sur des cassettes et les rejoue hors ligne.
cli-long-about = Dirigez l'URL de base de votre programme vers le harnais, enregistrez une fois auprès du vrai fournisseur, versionnez la cassette, puis rejouez-la : mêmes octets, sans réseau, sans clé.
cli-version = { $version }
cli-record-about = Transmet les requêtes au fournisseur et enregistre chaque échange.
cli-replay-about = Répond aux requêtes depuis une cassette, sans jamais toucher au réseau.
cli-verify-about = Vérifie qu'une cassette est intacte et peut être versionnée sans risque.
cli-auto-about = Rejoue ce que la cassette connaît et enregistre le reste, selon le mode.
cli-config-about = Affiche la configuration effective et l'origine de chaque valeur.
cli-addon-path-about = Affiche le chemin du fichier d'extension pour `mitmdump -s`.

cli-usage = Utilisation :
cli-heading-commands = Commandes :
cli-heading-options = Options :
cli-heading-arguments = Arguments :
cli-heading-examples = Exemples :
cli-heading-configuration = Configuration :
cli-group-server = Serveur :
cli-group-cassette = Cassette :
cli-group-matching = Correspondance :
cli-group-answers = Réponses :
cli-group-faults = Pannes :
cli-group-watching = Observation :
cli-group-upstream = Fournisseur :
cli-group-sources = Sources de configuration :
cli-group-messages = Messages :
cli-default = par défaut :
cli-choices = au choix :
cli-repeatable = Peut être répété.

cli-merge-help = Chaque réglage vient du premier endroit qui le définit :
cli-precedence = ligne de commande > environnement > fichiers > valeurs par défaut
cli-files-help = Fichiers, du plus fort au plus faible : ./.spycatcher_harness.toml, [tool.spycatcher_harness] dans ./pyproject.toml, $XDG_CONFIG_HOME/spycatcher_harness/config.toml, ~/.spycatcher_harness.toml. Les réglages d'une sous-commande se trouvent dans sa table de l'espace de noms cmds : cmds.record, cmds.replay, cmds.verify, cmds.auto.
cli-environment-help = Les variables d'environnement se nomment SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY> ; un double tiret bas descend d'une table :

cli-option-help = Affiche cette aide et quitte.
cli-option-version = Affiche la version et quitte.
cli-option-install-completion = Installe la complétion pour le shell actuel.
cli-option-show-completion = Affiche la complétion pour le shell actuel, à copier ou à adapter.
cli-option-listen = Adresse d'écoute ; le port 0 en choisit un libre.
cli-option-grace = Temps laissé aux échanges en cours pour finir à l'arrêt.
cli-option-cassette-dir = Répertoire des cassettes.
cli-option-cassette-name = Nom de fichier de la cassette, exactement comme sur le disque.
cli-option-record-mode = Ce qui est rejoué et ce qui est enregistré.
cli-option-match-mode = Dans l'ordre enregistré, ou dans un ordre quelconque selon le contenu.
cli-option-ignore-path = Partie du corps exclue des comparaisons : /metadata/run_id ou messages[*].id.
cli-option-normalize = Valeurs changeantes remplacées avant la comparaison : timestamp, uuid, hex_id, epoch, temp_path ou NOM=MOTIF.
cli-option-fail-unused = Quitte avec le code 3 si des interactions n'ont jamais été demandées.
cli-option-report = Fichier pour les requêtes sans réponse enregistrée, une ligne JSON chacune.
cli-option-report-format = Format de --report.
cli-option-stream-source = Ce dont les flux rejoués sont faits.
cli-option-timing = Rythme des flux rejoués.
cli-option-timing-factor = Avec --timing scaled : multiplie les temps enregistrés.
cli-option-timing-seed = Avec --timing realistic ou demo : détermine la gigue.
cli-option-include-failures = Prend aussi en compte les échecs enregistrés, et les reproduit.
cli-option-keep-failures = Conserve les échanges qui ont mal fini, marqués comme échecs.
cli-option-fault = Panne à introduire dans les réponses, par exemple status=429,retry_after_s=1,interaction=0.
cli-option-fault-seed = Détermine quelles pannes probabilistes se produisent.
cli-option-fault-report = Fichier pour les pannes et les réactions du client, en JSON.
cli-option-ui = Suivre chaque échange dans un navigateur (web) ou dans le terminal (console).
cli-option-ui-port = Port de la page ; 0 en choisit un libre.
cli-option-ui-password = Mot de passe que la page demande, au lieu d'un jeton dans son adresse.
cli-option-ui-keep = Nombre d'échanges que la liste garde.
cli-option-upstream-kind = Préréglage du fournisseur.
cli-option-base-url = URL de base de l'API du fournisseur.
cli-option-api-key-env = Nom de la variable d'environnement qui contient la clé.
cli-option-config = Lit ce fichier au lieu des fichiers habituels.
cli-option-locale = Langue préférée des messages.
cli-option-fallback-locale = Langue de repli quand un texte manque.
cli-argument-subcommand = Sous-commande dont la configuration est affichée.

## Lignes de commande illisibles

clap-error-argument-conflict = argument incompatible avec un autre : { $argument }
clap-error-format = ligne de commande incompréhensible : { $argument }
clap-error-invalid-subcommand = sous-commande inconnue { $subcommand } ; sous-commandes valides : { $valid_subcommands }
clap-error-invalid-utf8 = UTF-8 invalide dans l'argument { $argument }
clap-error-invalid-value = valeur invalide { $value } pour { $argument }
clap-error-io = échec d'entrée ou de sortie : { $argument }
clap-error-missing-argument = valeur manquante pour { $argument }
clap-error-missing-subcommand = sous-commande requise absente ; sous-commandes valides : { $valid_subcommands }
clap-error-no-equals = { $argument } exige un signe égal devant sa valeur { $value }
clap-error-too-few-values = trop peu de valeurs pour { $argument } : { $actual } fournies, au moins { $min } requises
clap-error-too-many-values = trop de valeurs pour { $argument } : { $actual } fournies, { $expected } attendues
clap-error-unknown-argument = argument inconnu : { $argument }
clap-error-value-validation = valeur invalide { $value } pour { $argument }

cli-expected-listen = une adresse IP avec un port est attendue, par exemple 127.0.0.1:8787 ou [::1]:0 ; les noms d'hôte ne sont pas acceptés
cli-expected-seconds = un nombre de secondes est attendu, 0 ou plus
cli-expected-ignore-path = un JSON Pointer (/metadata/run_id) ou un chemin à points (messages[0].content) est attendu
cli-expected-normalize = attendu : timestamp, uuid, hex_id, epoch, temp_path, ou NOM=MOTIF pour une règle à vous
cli-expected-fault = une règle de panne est attendue, par exemple status=429,interaction=0
cli-expected-factor = un nombre supérieur à 0 est attendu
cli-expected-number = un nombre entier est attendu
cli-expected-path = le chemin d'un fichier ou d'un dossier est attendu, et non un texte vide
cli-expected-port = un port de 0 à 65535 est attendu
cli-expected-count = un nombre entier à partir de 1 est attendu
cli-expected-password = un mot de passe d'au moins un caractère est attendu
cli-expected-choice = valeurs attendues :
cli-did-you-mean = vouliez-vous dire ceci ?
cli-try-help = Pour l'aide, essayez :

## Démarrage et arrêt

cli-start-failed = impossible de démarrer le harnais :
cli-shutdown-failed = impossible d'arrêter le harnais :
cli-verify-failed = impossible de vérifier la cassette :
cli-cassette-not-found-advice = Enregistrez-la d'abord, ou vérifiez --cassette-dir et --cassette-name. Ce fichier n'existe pas :
cli-cassette-version-advice = Les formats 1 et 2 sont lisibles ici. Mettez ce programme à jour ou enregistrez de nouveau la cassette. Il s'agit de ce fichier :
cli-upstream-missing-advice = Indiquez la source à enregistrer, dans un fichier de configuration, dans l'environnement ou par une option :
cli-setting-idle = est défini mais sans effet tant que replay.timing vaut
cli-stopping = arrêt en cours ; un second signal interrompt immédiatement
cli-ui-address = à suivre à cette adresse :
cli-ui-address-with-password = à suivre, avec le mot de passe, à cette adresse :
cli-ui-needs-terminal = l'interface dans le terminal a besoin d'un terminal en entrée et en sortie standard ; lancez la commande dans un terminal, ou utilisez plutôt :
cli-key-missing-optional = la variable d'environnement { $variable }, désignée par le réglage upstream.api_key_env, est absente, vide ou inutilisable ; les requêtes partent sans clé

## Avis au démarrage

notice-tape-cut-back =
    { $count ->
        [one] la cassette { $path } finissait par un ajout interrompu ; ramenée à la seule interaction ({ $count }) qui le précède
       *[other] la cassette { $path } finissait par un ajout interrompu ; ramenée aux { $count } interactions qui le précèdent
    }
notice-tape-converted = la cassette { $path } était au format de version { $old } ; réécrite en version { $new }
notice-tape-laid-out = la cassette { $path } n'était pas mise en page comme le harnais la laisse (fins de ligne, indicateur d'ordre des octets ou autre formateur) ; réécrite, ce qui est enregistré reste inchangé
notice-tape-rehashed =
    { $count ->
        [one] la cassette { $path } a été enregistrée avec d'autres chemins ignorés ou règles de caviardage ; empreintes recalculées pour { $count } interaction. Le caviardage n'a pas été réappliqué : `spycatcher-harness verify` dit s'il le faut
       *[other] la cassette { $path } a été enregistrée avec d'autres chemins ignorés ou règles de caviardage ; empreintes recalculées pour { $count } interactions. Le caviardage n'a pas été réappliqué : `spycatcher-harness verify` dit s'il le faut
    }
notice-tape-settings-noted = la cassette { $path } était vide ; les chemins ignorés et règles de caviardage actuels y ont été notés
notice-tape-unfinished =
    { $count ->
        [one] la cassette { $path } finit par un ajout inachevé ; { $count } interaction lue avant lui. Sauf si un enregistrement est en cours, `spycatcher-harness record` avec cette cassette la répare
       *[other] la cassette { $path } finit par un ajout inachevé ; { $count } interactions lues avant lui. Sauf si un enregistrement est en cours, `spycatcher-harness record` avec cette cassette la répare
    }
notice-key-missing = la variable d'environnement { $variable } (upstream.api_key_env) est absente, vide ou inutilisable : les requêtes recevront un 502 tant que l'enregistrement n'est pas relancé avec une clé
notice-secret-too-short = la valeur de la variable d'environnement { $variable } (redaction.secret_env) est trop courte pour être distinguée d'un texte ordinaire : elle n'est pas recherchée ; utilisez une valeur plus longue ou indiquez son emplacement dans redaction.body_paths

## Bilans de fin

# Entre deux parties d'une ligne, espaces comprises.
cli-joiner-colon = {" : "}
cli-joiner-semicolon = {" ; "}
log-client-left = non enregistré : le client est parti avant la fin de sa réponse
log-upstream-failed = NON ENREGISTRÉ : le fournisseur a échoué
log-tape-unwritable = NON ENREGISTRÉ : la cassette n'a pas pu être écrite
log-recorder-failed = NON ENREGISTRÉ : l'enregistreur a échoué
log-not-recorded = NON ENREGISTRÉ
log-kept-failure = conservé comme échec ; la relecture l'ignore tant que replay.include_failures n'est pas défini
log-error-status = réponse enregistrée avec un statut d'erreur :
log-recording-failed = l'enregistrement a échoué dans l'outil lui-même ; réponse 500
log-chunk-failed = l'enregistreur a échoué sur un morceau ; le flux continue sans être enregistré
log-replay-failed = la relecture a échoué dans l'outil lui-même ; réponse 500
log-tape-not-found-for-request = la requête n'a pas pu être confiée à sa cassette ; réponse 500
log-report-unwritable = le rapport de relecture n'a pas pu être écrit et reste incomplet
log-refusal-unreported = une requête refusée n'a pas pu être signalée
log-fault = panne introduite dans la réponse de l'interaction
log-fault-idle = une panne n'a rien trouvé à changer dans l'interaction
log-list-full = la liste est pleine : les échanges plus anciens la quittent et restent sur la cassette (ui.keep)
log-resend-failed = la requête n'a pas pu être envoyée une nouvelle fois
log-tls-unusable = impossible de servir un client TLS : le dossier de certificats du répertoire personnel est inutilisable
log-tape-changed = la cassette a été modifiée pendant qu'elle est rejouée ; relancez replay pour utiliser ce qui s'y trouve maintenant
log-tape-replaced = la cassette a été remplacée ou supprimée pendant qu'elle est rejouée ; on continue avec ce qu'elle était, relancez replay pour utiliser ce qui s'y trouve maintenant
log-reason-no-answer = le fournisseur n'a jamais répondu
log-reason-broken-stream = le flux s'est interrompu avant sa fin
log-reason-incomplete-event = le flux SSE s'est terminé avant que le dernier événement soit complet
log-reason-request-coding = l'encodage du contenu de la requête n'a pas pu être défait ; son corps est conservé tel quel et n'a pas été examiné pour des secrets
log-reason-answer-coding = l'encodage du contenu de la réponse n'a pas pu être défait ; elle est conservée telle quelle et n'a pas été examinée pour des secrets
log-reason-ambiguous-headers = sa réponse avait des en-têtes ambigus ou interdits
log-reason-not-http = sa réponse n'était pas du HTTP valide
log-reason-answer-too-long = la réponse a trop tardé (upstream.total_timeout_s ou upstream.idle_timeout_s)
log-reason-attempt-given-up = la tentative de connexion a été abandonnée
log-reason-untrusted-certificate = la négociation TLS a échoué : son certificat n'est pas de confiance
log-reason-tls-failed = la négociation TLS a échoué
log-reason-unknown-host = son nom d'hôte n'a pas pu être résolu
log-reason-connection-refused = la connexion a été refusée
log-reason-network-unreachable = son réseau n'a pas pu être atteint
log-reason-connection-reset = la connexion a été réinitialisée
log-reason-connection-closed = la connexion a été fermée avant que la réponse soit complète
log-reason-switched-protocols = il a changé de protocole sans qu'on le lui demande
log-reason-connect-timed-out = la connexion a trop tardé (upstream.connect_timeout_s)
log-reason-no-connection = la connexion n'a pas pu être établie
log-reason-connection-broke = la connexion s'est interrompue avant que la réponse soit complète
cli-recorded =
    { $count ->
        [one] { $count } interaction enregistrée dans
       *[other] { $count } interactions enregistrées dans
    }
cli-recorded-nothing = 0 interaction enregistrée ; le client doit utiliser cette URL de base :
cli-mitmproxy-address = l'adresse sur laquelle mitmproxy écoute
cli-record-error-statuses =
    { $count ->
        [one] { $count } échange a été enregistré avec un statut d'erreur ; il sera rejoué avec la même erreur
       *[other] { $count } échanges ont été enregistrés avec un statut d'erreur ; ils seront rejoués avec les mêmes erreurs
    }
cli-record-failed =
    { $count ->
        [one] { $count } échange n'a pas été enregistré à cause d'un échec ; les messages ci-dessus disent pourquoi
       *[other] { $count } échanges n'ont pas été enregistrés à cause d'échecs ; les messages ci-dessus disent pourquoi
    }
cli-record-kept-failures =
    { $count ->
        [one] { $count } échange en échec a été conservé et marqué comme tel
       *[other] { $count } échanges en échec ont été conservés et marqués comme tels
    }
cli-record-abandoned =
    { $count ->
        [one] { $count } échange n'a pas été enregistré parce que le client est parti trop tôt
       *[other] { $count } échanges n'ont pas été enregistrés parce que le client est parti trop tôt
    }
cli-record-refused =
    { $count ->
        [one] { $count } requête a reçu une réponse du harnais lui-même et n'a pas été enregistrée (chemin inconnu, mauvaise méthode, clé absente, ...)
       *[other] { $count } requêtes ont reçu une réponse du harnais lui-même et n'ont pas été enregistrées (chemin inconnu, mauvaise méthode, clé absente, ...)
    }
cli-auto-ci = CI est définie et ni la ligne de commande ni l'environnement ne demandent d'enregistrement ; relecture seule
cli-auto-not-kept = l'enregistrement n'a pas été conservé, car tous les échanges n'ont pas été enregistrés en entier ; la cassette est inchangée
cli-auto-passed-through =
    { $count ->
        [one] { $count } requête transmise telle quelle au fournisseur ; rien n'a été enregistré
       *[other] { $count } requêtes transmises telles quelles au fournisseur ; rien n'a été enregistré
    }
cli-replayed =
    { $used ->
        [one] { $used } interaction rejouée sur { $count } depuis
       *[other] { $used } interactions rejouées sur { $count } depuis
    }
cli-unused = interactions jamais demandées, comptées à partir de 0 : { $indexes }
cli-mismatched =
    { $count ->
        [one] { $count } requête a reçu une réponse 409 parce qu'aucun enregistrement ne correspondait
       *[other] { $count } requêtes ont reçu une réponse 409 parce qu'aucun enregistrement ne correspondait
    }
cli-rejected =
    { $count ->
        [one] { $count } requête a été refusée avant la recherche de correspondance (JSON incorrect, chemin inconnu, ...)
       *[other] { $count } requêtes ont été refusées avant la recherche de correspondance (JSON incorrect, chemin inconnu, ...)
    }
cli-dropped-headers = des en-têtes enregistrés qui ne peuvent pas être envoyés ont été omis : { $names }

## Pannes et réactions du client : parties d'une ligne, jointes par des points-virgules

cli-fault-not-applicable = cette panne n'avait rien à modifier dans l'interaction { $index } ({ $reason }) :
cli-fault-never-due = aucune réponse ne correspondait à cette règle de panne ; vérifiez-y interaction et path :
cli-reaction-retried =
    { $retries ->
        [one] le client a réessayé une fois, après { $waits_ms } ms
       *[other] le client a réessayé { $retries } fois, après { $waits_ms } ms
    }
cli-reaction-gave-up =
    { $retries ->
        [0] le client a abandonné sans réessayer
        [one] le client a réessayé une fois, après { $waits_ms } ms, puis a abandonné
       *[other] le client a réessayé { $retries } fois, après { $waits_ms } ms, puis a abandonné
    }
cli-reaction-accepted-half-stream = le client a accepté un demi-flux
cli-reaction-accepted-half-answer = le client a accepté une demi-réponse
cli-reaction-accepted-altered-stream = le client a accepté le flux altéré
cli-reaction-took-answer = le client a pris la réponse
cli-reaction-honoured = Retry-After a été respecté
cli-reaction-hasty = Retry-After n'a pas été respecté, { $early_ms } ms trop tôt
cli-reaction-left = il a raccroché avant la fin
cli-reaction-went-on = d'autres requêtes ont suivi
cli-reaction-nothing-more = plus rien n'a été demandé ensuite

## Constats de `verify`

verify-interaction = interaction
verify-clean =
    { $count ->
        [one] { $count } interaction vérifiée, rien à signaler
       *[other] { $count } interactions vérifiées, rien à signaler
    }
verify-found =
    { $count ->
        [one] { $count } problème trouvé
       *[other] { $count } problèmes trouvés
    }
verify-only-warnings =
    { $count ->
        [one] { $count } avertissement, aucun problème
       *[other] { $count } avertissements, aucun problème
    }
verify-ignore-paths-drift = enregistrée avec d'autres chemins ignorés ({ $recorded }) que ceux de la configuration ({ $configured }) ; utilisez les mêmes, ou poursuivez la cassette avec `record` pour en recalculer les empreintes
verify-normalize-drift = enregistrée avec d'autres règles de normalisation ({ $recorded }) que celles de la configuration ({ $configured }) ; utilisez les mêmes, ou poursuivez la cassette avec `record` pour en recalculer les empreintes
verify-ignore-path-misfit = le chemin ignoré { $path } ne convient pas au corps de la requête ; corrigez matching.ignore_paths
verify-hash-missing = la requête n'a pas de stable_hash ; enregistrez-la de nouveau, ou inscrivez celui-ci : { $computed }
verify-hash-mismatch = stable_hash vaut { $stored }, mais la requête enregistrée donne { $computed } ; l'un des deux a été modifié
verify-canonical-mismatch = canonical_request ne concorde pas avec la requête enregistrée : { $differences }
verify-request-json-mismatch = parsed_json ne concorde pas avec le corps de la requête ; l'un des deux a été modifié
verify-request-not-json = le corps de la requête n'est pas du JSON ; elle sera rejouée avec un 400, jamais avec cette interaction
verify-response-json-mismatch = parsed_json ne concorde pas avec le corps de la réponse ; l'un des deux a été modifié
verify-events-mismatch = l'événement { $event } du flux ne concorde pas avec raw_transcript ; l'un des deux a été modifié
verify-events-count = il y a { $events } événements, mais raw_transcript en donne { $parsed } ; l'un des deux a été modifié
verify-transcript-unreadable = raw_transcript ne se lit pas comme des événements : { $problem }
verify-chunks-order = les positions de fin des morceaux décroissent au morceau { $chunk }
verify-chunks-end = le dernier morceau finit à l'octet { $end }, mais raw_transcript en a { $length }
verify-chunks-time = les temps des morceaux décroissent au morceau { $chunk }
verify-chunks-ttft = le premier morceau est arrivé à { $first_ms } ms, avant ttft_ms, qui vaut { $ttft_ms }
verify-recorded-at = metadata.recorded_at vaut { $value } ; une heure UTC comme 2026-01-31T12:00:00.000000Z est attendue
verify-request-header = la requête contient encore l'en-tête { $name }, visé par les règles de caviardage ; supprimez-le
verify-response-header = la réponse contient encore l'en-tête { $name }, visé par les règles de caviardage ; supprimez-le
verify-secret = { $place } contient un secret (règle { $rule }, SHA-256 { $digest }…) ; refaites l'enregistrement et remplacez le secret si le fichier a été partagé
verify-query-credential = le paramètre { $name } de l'URL ressemble à un identifiant secret ; assurez-vous que sa valeur n'en est pas un
verify-response-status = le statut de la réponse est { $status }, qu'aucun rejeu ne peut envoyer : il répond 502 à la place ; un statut de 200 à 599 est attendu
verify-header-not-sendable = l'en-tête de réponse { $name } ne peut pas être envoyé et sera omis
verify-event-carriage-return = l'événement { $event } a un retour chariot dans ses données, qu'un client lit comme une fin de ligne
verify-stream-without-events = la requête demande un flux, mais la réponse est ordinaire et non marquée answers_stream ; elle sera rejouée avec un 501
verify-redaction-drift = enregistrée avant que ces règles de caviardage ne soient dans la configuration : { $rules } ; ce qu'elles désignent est recherché quand même, et `spycatcher-harness scrub` le retire
verify-event-json-mismatch = parsed_json de l'événement { $event } ne concorde pas avec ses données ; l'un des deux a été modifié
verify-chunks-count = chunk_offsets_ms a { $times } instants pour { $events } événements ; impossible de savoir lequel est arrivé quand ; refaites l'enregistrement
verify-recorded-earlier = enregistrée à { $value }, avant l'interaction { $other } ({ $latest }) qui la précède ; remettez-les dans l'ordre, sauf si des cassettes ont été fusionnées à dessein
verify-duplicate = identique à l'interaction { $first }, jusqu'à l'instant d'enregistrement ; supprimez l'une des deux
verify-unknown-key = la clé { $key } n'est pas de ce format et est ignorée (la plus proche : { $nearest } ; interactions concernées : { $count }) ; corrigez-la ou supprimez-la
verify-large = elle fait { $size } octets, et l'on signale à partir de { $limit } ; vérifiez qu'elle a sa place dans le dépôt
verify-unreadable = illisible
verify-unreadable-count =
    { $count ->
        [one] { $count } cassette est illisible
       *[other] { $count } cassettes sont illisibles
    }
verify-summary = cassettes : { $tapes } ; sans problème : { $clean } ; avec problèmes : { $findings } ; illisibles : { $unreadable } ; autres fichiers : { $others }

## Commandes pour les cassettes existantes

cli-ls-about = Liste les interactions d'une cassette.
cli-show-about = Affiche une interaction comme une conversation.
cli-diff-about = Compare deux cassettes, en séparant formulation et comportement.
cli-stats-about = Compte les jetons, les octets, les durées et le coût estimé.
cli-merge-about = Réunit plusieurs cassettes en une nouvelle.
cli-prune-about = Écrit une copie d'une cassette sans certaines de ses interactions.
cli-convert-about = Convertit entre formats de cassette, vcrpy, HAR et WireMock.
cli-scrub-about = Applique les règles de caviardage actuelles aux cassettes existantes.
cli-doctor-about = Examine l'environnement et indique comment corriger les défauts.
cli-group-output = Sortie :
cli-option-json = Affiche du JSON, pour les programmes.
cli-option-raw = Affiche les octets enregistrés de la réponse.
cli-option-output = Fichier à écrire.
cli-option-force = Écrase le fichier s'il existe.
cli-option-check = N'écrit rien ; se termine avec le code 1 si quelque chose devait changer.
cli-option-format = Ce qui est affiché : du texte pour les humains, le reste pour les programmes.
cli-option-strict = Compte les avertissements comme des problèmes.
cli-option-prices = Table de prix (TOML) pour le coût estimé.
cli-option-drop = Interactions à omettre, par exemple 0,3-5.
cli-option-unused-in = Rapport d'un rejeu : ce que personne n'a demandé est retiré.
cli-option-to = Format à écrire.
cli-argument-cassette = Chemin d'une cassette ; à défaut, celle de la configuration.
cli-argument-cassettes = Chemins de cassettes ; à défaut, celle de la configuration.
cli-argument-tapes = Cassettes, ou dossiers de cassettes ; à défaut, celle de la configuration.
cli-argument-inputs = Chemins des cassettes, dans l'ordre voulu.
cli-argument-source = Une cassette, une archive HTTP (HAR) ou une cassette de vcrpy.
cli-argument-left = Chemin de la première cassette.
cli-argument-right = Chemin de la cassette à laquelle elle est comparée.
cli-argument-number = Numéro de l'interaction, compté à partir de 0.
cli-expected-indexes = des numéros comme 0,3-5 sont attendus
cli-column-index = n°
cli-column-time = heure
cli-column-model = modèle
cli-column-stream = flux
cli-column-status = statut
cli-column-input = jetons lus
cli-column-output = jetons écrits
cli-column-bytes = octets
cli-column-hash = empreinte
cli-column-interactions = interactions
cli-column-errors = erreurs
cli-column-streams = flux
cli-column-sent = octets envoyés
cli-column-received = octets reçus
cli-column-first = premier ms
cli-column-whole = total ms
cli-column-cost = coût estimé
cli-yes = oui
cli-hashes-shortened = Les empreintes sont réduites à 12 chiffres sur 64 ; `--json` les montre en entier.
cli-tape-empty = la cassette ne contient aucune interaction
cli-show-missing = il n'y a pas d'interaction { $index } ; elles sont comptées à partir de 0, et la dernière est { $last }
cli-diff-request = requête
cli-diff-behaviour = comportement
cli-diff-wording = formulation
cli-diff-single = seulement dans
cli-diff-same =
    { $count ->
        [one] { $count } interaction, aucune différence
       *[other] { $count } interactions, aucune différence
    }
cli-diff-summary = identiques : { $same } ; autre requête : { $request } ; autre comportement : { $behaviour } ; autre formulation : { $wording } ; sans pendant : { $single }
cli-stats-total = toutes
cli-stats-no-usage =
    { $count ->
        [one] { $count } réponse n'indique pas ses jetons ; elle manque dans les totaux de jetons et de coût
       *[other] { $count } réponses n'indiquent pas leurs jetons ; elles manquent dans les totaux de jetons et de coût
    }
cli-stats-no-price = la table de prix n'a pas de prix pour :
cli-wrote =
    { $count ->
        [one] { $count } interaction écrite dans
       *[other] { $count } interactions écrites dans
    }
cli-file-exists = { $path } existe déjà et n'a pas été touché ; donnez un autre --output, ou --force pour l'écraser
cli-file-same = { $path } fait partie des fichiers lus ; donnez un autre --output
cli-file-unreadable = impossible de lire { $path } : { $reason } ; vérifiez le chemin et ses droits d'accès
cli-file-unwritable = impossible d'écrire { $path } : { $reason } ; vérifiez le chemin, ses droits d'accès et la place sur le disque
cli-file-unconvertible = { $path } ne peut pas être converti : { $problem }
cli-prices-unusable = la table de prix { $path } est inutilisable : { $problem }
cli-convert-verify = seul ce que visent les règles a été caviardé ; relisez les corps, et lancez `spycatcher-harness verify` avant de versionner la cassette
cli-secrets-carried =
    { $count ->
        [one] { $count } interaction contient ce que visent les règles de caviardage, et l'a emporté ; lancez `spycatcher-harness scrub` sur l'entrée, puis recommencez
       *[other] { $count } interactions contiennent ce que visent les règles de caviardage, et l'ont emporté ; lancez `spycatcher-harness scrub` sur l'entrée, puis recommencez
    }
cli-prune-nothing-named = rien ne dit ce qu'il faut retirer ; donnez --drop, ou le --report d'un rejeu
cli-prune-no-report = { $path } ne dit pas quelles interactions ont servi : { $problem } ; donnez le fichier que `replay --report` a écrit dans son format par défaut
cli-prune-other-cassette = { $path } est le rapport d'une autre cassette, ou { $cassette } a changé depuis (interaction { $index }) ; rejouez-la avec --report
cli-file-unfinished = { $path } se termine par un ajout inachevé et n'a pas été modifiée ; arrêtez l'enregistreur, ou laissez d'abord `spycatcher-harness record` la réparer
cli-folder-empty = il n'y a pas de cassette dans { $path } ; donnez le chemin d'une cassette, ou un autre dossier
cli-folder-passed-over =
    { $count ->
        [one] { $count } fichier ignoré, qui n'est pas une cassette
       *[other] { $count } fichiers ignorés, qui ne sont pas des cassettes
    }
cli-scrub-output-misfit = --output va avec une seule cassette, et pas avec --check ; renoncez à l'un des deux
cli-scrub-unsearched = son codage de contenu est inconnu ou abîmé, il n'a donc pas été examiné ; vérifiez-le vous-même, ou enregistrez de nouveau
cli-scrub-left = une règle le vise, mais il se trouve là où scrub ne remplace rien ; retirez-le à la main, ou enregistrez de nouveau
cli-scrub-clean = rien à remplacer
cli-scrub-would-change =
    { $count ->
        [one] { $count } valeur serait remplacée ou retirée
       *[other] { $count } valeurs seraient remplacées ou retirées
    }
cli-scrub-changed =
    { $count ->
        [one] { $count } valeur remplacée ou retirée
       *[other] { $count } valeurs remplacées ou retirées
    }
cli-scrub-converted = écrite en version de format { $version }
cli-loss-event-fields =
    { $count ->
        [one] perdu : le champ event, id ou retry de { $count } événement
       *[other] perdu : les champs event, id ou retry de { $count } événements
    }
cli-loss-answers-stream =
    { $count ->
        [one] perdu : la marque answers_stream de { $count } réponse, sans laquelle elle sera rejouée avec un 501
       *[other] perdu : la marque answers_stream de { $count } réponses, sans laquelle elles seront rejouées avec un 501
    }
cli-loss-failures =
    { $count ->
        [one] perdu : le fait que { $count } échange a échoué ; il paraît maintenant réussi
       *[other] perdu : le fait que { $count } échanges ont échoué ; ils paraissent maintenant réussis
    }
cli-loss-chunk-times =
    { $count ->
        [one] perdu : le découpage de { $count } flux en morceaux et leurs temps exacts
       *[other] perdu : le découpage de { $count } flux en morceaux et leurs temps exacts
    }
cli-loss-durations =
    { $count ->
        [one] perdu : la durée de { $count } réponse simple
       *[other] perdu : la durée de { $count } réponses simples
    }
cli-loss-settings =
    { $count ->
        [one] perdu : les chemins ignorés et les règles de caviardage de { $count } cassette
       *[other] perdu : les chemins ignorés et les règles de caviardage de { $count } cassettes
    }
cli-loss-hashes =
    { $count ->
        [one] perdu : l'empreinte de { $count } requête
       *[other] perdu : les empreintes de { $count } requêtes
    }
cli-loss-hosts =
    { $count ->
        [one] inconnue : l'adresse du fournisseur ; { $count } requête en a une fictive
       *[other] inconnue : l'adresse du fournisseur ; { $count } requêtes en ont une fictive
    }
cli-loss-times =
    { $count ->
        [one] perdu : la date d'enregistrement de { $count } interaction
       *[other] perdu : les dates d'enregistrement de { $count } interactions
    }
cli-loss-foreign =
    { $count ->
        [one] omis : { $count } échange avec un point d'accès que le harnais ne sert pas
       *[other] omis : { $count } échanges avec des points d'accès que le harnais ne sert pas
    }
cli-loss-unusable =
    { $count ->
        [one] omis : { $count } échange sans réponse complète
       *[other] omis : { $count } échanges sans réponse complète
    }
cli-loss-redacted =
    { $count ->
        [one] supprimé par les règles de caviardage : { $count } en-tête
       *[other] supprimés par les règles de caviardage : { $count } en-têtes
    }
cli-loss-secrets =
    { $count ->
        [one] remplacé par une marque selon les règles de caviardage : { $count } secret
       *[other] remplacés par des marques selon les règles de caviardage : { $count } secrets
    }
cli-doctor-fine = aucun problème trouvé
cli-doctor-python = installez Python { $wanted } ou plus récent, et le harnais avec lui
cli-doctor-mitmproxy = installez mitmproxy{ $wanted }, de préférence en réinstallant le harnais
cli-doctor-proxy = les clients enverraient à ce proxy les requêtes destinées au harnais ; ajoutez 127.0.0.1 et localhost à NO_PROXY
cli-doctor-base-url = cette variable ne désigne pas le harnais ; exécutez dans le shell de votre programme la ligne export qu'affichent `record` et `replay`
cli-doctor-key = pour enregistrer, il faut une clé dans cette variable, nommée par upstream.api_key_env ; pour rejouer, aucune
cli-doctor-port = rien ne peut écouter à cette adresse ; arrêtez ce qui l'utilise, ou prenez un port libre avec `--listen 127.0.0.1:0`
cli-doctor-no-cassette = pas encore de cassette : lancez `spycatcher-harness record`, ou vérifiez --cassette-dir et --cassette-name
cli-doctor-ca-folder = les clients qui parlent TLS au harnais ont besoin d'un certificat, mais ce dossier n'est pas accessible en écriture ; corrigez ses droits d'accès
cli-doctor-ca-open = d'autres peuvent lire cette clé privée ; lancez `chmod 600` sur ce fichier
cli-doctor-clock = l'horloge est fausse ; réglez-la, car les certificats et les heures enregistrées en dépendent
cli-doctor-clock-drift = l'horloge du système de fichiers diffère de { $seconds } s ; réglez les deux sur la même source
