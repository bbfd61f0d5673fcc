### Textos de spycatcher-harness en español. La fuente de todos los catálogos es en-US.
###
### Lo que se copia o lee un programa va junto a estos textos, no dentro. A un texto que acaba en dos puntos le sigue un
### elemento así. Términos: cassette = casete (masculino), interaction = interacción, record = grabar, replay = reproducir,
### exchange = intercambio, request = petición, answer y response = respuesta.

## Errores de la biblioteca

harness-error-invalid-config = configuración no válida: { $message }
harness-error-cassette-not-found = casete no encontrado: { $cassette_name }
harness-error-request-mismatch = la petición no coincide con la interacción { $interaction_id }: se esperaba { $expected_hash }, se observó { $observed_hash }; { $diff_summary }
harness-error-invalid-cassette = casete no válido: { $message }
harness-error-unsupported-cassette-format-version = versión { $found } del formato de casete no admitida; la versión admitida es { $supported }
harness-error-upstream-request-failed = falló la petición al proveedor: { $source }
harness-error-mode-not-yet-implemented = modo aún no implementado: { $mode }
harness-error-io = error de entrada/salida: { $source }
harness-error-canonical = no se puede reducir la petición a su forma canónica: { $detail }
harness-error-invalid-pointer-path = ruta JSON Pointer no válida: «{ $path }»
harness-error-stream-parse = no se puede leer el flujo SSE: { $detail }
harness-error-stream-invalid-utf8 = el flujo SSE contenía UTF-8 no válido: { $detail }
harness-error-stream-incomplete-event = el flujo SSE terminó antes de completarse el último evento

## Ayuda

cli-about = Graba conversaciones con API de LLM en casetes y las reproduce sin conexión.
cli-long-about = Dirija la URL base de su programa al arnés, grabe una vez con el proveedor real, incluya el casete en el repositorio y, desde entonces, reprodúzcalo: los mismos bytes, sin red y sin clave.
cli-version = { $version }
cli-record-about = Reenvía las peticiones al proveedor y graba cada intercambio.
cli-replay-about = Responde a las peticiones desde un casete, sin tocar nunca la red.
cli-verify-about = Comprueba que un casete está íntegro y puede incluirse en el repositorio.
cli-auto-about = Reproduce lo que el casete conoce y graba el resto, según el modo de grabación.
cli-config-about = Muestra la configuración efectiva y el origen de cada valor.
cli-addon-path-about = Muestra la ruta del archivo de extensión para `mitmdump -s`.

cli-usage = Uso:
cli-heading-commands = Órdenes:
cli-heading-options = Opciones:
cli-heading-arguments = Argumentos:
cli-heading-examples = Ejemplos:
cli-heading-configuration = Configuración:
cli-group-server = Servidor:
cli-group-cassette = Casete:
cli-group-matching = Coincidencia:
cli-group-answers = Respuestas:
cli-group-faults = Fallos simulados:
cli-group-watching = Observación:
cli-group-upstream = Proveedor:
cli-group-sources = Fuentes de configuración:
cli-group-messages = Mensajes:
cli-default = por omisión:
cli-choices = uno de:
cli-repeatable = Puede repetirse.

cli-merge-help = Cada ajuste se toma del primer sitio que lo define:
cli-precedence = línea de órdenes > entorno > archivos de configuración > valores por omisión
cli-files-help = Archivos, del más fuerte al más débil: ./.spycatcher_harness.toml, [tool.spycatcher_harness] en ./pyproject.toml, $XDG_CONFIG_HOME/spycatcher_harness/config.toml, ~/.spycatcher_harness.toml. Los ajustes de una suborden están en su tabla del espacio de nombres cmds: cmds.record, cmds.replay, cmds.verify, cmds.auto.
cli-environment-help = Las variables de entorno se llaman SPYCATCHER_HARNESS_CMDS_<SUBCOMMAND>_<KEY>; un doble guion bajo baja una tabla:

cli-option-help = Muestra esta ayuda y sale.
cli-option-version = Muestra la versión y sale.
cli-option-install-completion = Instala el completado para el intérprete actual.
cli-option-show-completion = Muestra el completado para el intérprete actual, para copiarlo o adaptarlo.
cli-option-listen = Dirección en la que escuchar; el puerto 0 elige uno libre.
cli-option-grace = Tiempo para que acaben los intercambios en curso al parar.
cli-option-cassette-dir = Directorio de los casetes.
cli-option-cassette-name = Nombre de archivo del casete, tal como está en el disco.
cli-option-record-mode = Qué se reproduce y qué se graba.
cli-option-match-mode = En el orden grabado, o en cualquier orden según el contenido.
cli-option-ignore-path = Parte del cuerpo excluida de las comparaciones: /metadata/run_id o messages[*].id.
cli-option-normalize = Valores variables que se sustituyen antes de comparar: timestamp, uuid, hex_id, epoch, temp_path o NOMBRE=PATRÓN.
cli-option-fail-unused = Sale con el código 3 si alguna interacción no se pidió nunca.
cli-option-report = Archivo para las peticiones sin respuesta grabada, una línea JSON cada una.
cli-option-report-format = Formato de --report.
cli-option-stream-source = De qué se componen los flujos reproducidos.
cli-option-timing = Ritmo de los flujos reproducidos.
cli-option-timing-factor = Con --timing scaled: multiplica los tiempos grabados.
cli-option-timing-seed = Con --timing realistic o demo: determina la variación.
cli-option-include-failures = Tiene en cuenta también los fracasos grabados y los repite.
cli-option-keep-failures = Conserva los intercambios que acabaron mal, marcados como fracasos.
cli-option-fault = Fallo que introducir en las respuestas, por ejemplo status=429,retry_after_s=1,interaction=0.
cli-option-fault-seed = Determina qué fallos con probabilidad se producen.
cli-option-fault-report = Archivo para los fallos y las reacciones del cliente, en JSON.
cli-option-ui = Seguir cada intercambio en un navegador (web) o en el terminal (console).
cli-option-ui-port = Puerto de la página; 0 elige uno libre.
cli-option-ui-password = Contraseña que pide la página, en lugar de un token en su dirección.
cli-option-ui-keep = Cuántos intercambios conserva la lista.
cli-option-upstream-kind = Preajuste del proveedor.
cli-option-base-url = URL base de la API del proveedor.
cli-option-api-key-env = Nombre de la variable de entorno que contiene la clave.
cli-option-config = Lee este archivo en lugar de los habituales.
cli-option-locale = Idioma preferido de los mensajes.
cli-option-fallback-locale = Idioma cuando el preferido no tiene el texto.
cli-argument-subcommand = Suborden cuya configuración se muestra.

## Líneas de órdenes que no se pueden leer

clap-error-argument-conflict = argumento incompatible con otro: { $argument }
clap-error-format = no se entiende la línea de órdenes: { $argument }
clap-error-invalid-subcommand = suborden desconocida { $subcommand }; subórdenes válidas: { $valid_subcommands }
clap-error-invalid-utf8 = UTF-8 no válido en el argumento { $argument }
clap-error-invalid-value = valor no válido { $value } para { $argument }
clap-error-io = falló la entrada o la salida: { $argument }
clap-error-missing-argument = falta el valor de { $argument }
clap-error-missing-subcommand = falta la suborden obligatoria; subórdenes válidas: { $valid_subcommands }
clap-error-no-equals = { $argument } necesita un signo igual antes de su valor { $value }
clap-error-too-few-values = valores insuficientes para { $argument }: se dieron { $actual }, se necesitan al menos { $min }
clap-error-too-many-values = demasiados valores para { $argument }: se dieron { $actual }, se esperaban { $expected }
clap-error-unknown-argument = argumento desconocido: { $argument }
clap-error-value-validation = valor no válido { $value } para { $argument }

cli-expected-listen = se espera una dirección IP con puerto, como 127.0.0.1:8787 o [::1]:0; no se aceptan nombres de equipo
cli-expected-seconds = se espera un número de segundos, 0 o más
cli-expected-ignore-path = se espera un JSON Pointer (/metadata/run_id) o una ruta con puntos (messages[0].content)
cli-expected-normalize = se esperaba timestamp, uuid, hex_id, epoch, temp_path, o NOMBRE=PATRÓN para una regla propia
cli-expected-fault = se espera una regla de fallo como status=429,interaction=0
cli-expected-factor = se espera un número mayor que 0
cli-expected-number = se espera un número entero
cli-expected-path = se espera la ruta de un archivo o de una carpeta, no un texto vacío
cli-expected-port = se espera un puerto de 0 a 65535
cli-expected-count = se espera un número entero a partir de 1
cli-expected-password = se espera una contraseña de al menos un carácter
cli-expected-choice = se espera uno de:
cli-did-you-mean = ¿quería decir esto?
cli-try-help = Para obtener ayuda, pruebe:

## Arranque y parada

cli-start-failed = no se pudo arrancar el arnés:
cli-shutdown-failed = no se pudo parar el arnés:
cli-verify-failed = no se pudo comprobar el casete:
cli-cassette-not-found-advice = Grábelo primero, o revise --cassette-dir y --cassette-name. Este archivo no existe:
cli-cassette-version-advice = Aquí se pueden leer los formatos 1 y 2. Actualice este programa o vuelva a grabar el casete. Es este archivo:
cli-upstream-missing-advice = Indique de dónde se graba, en un archivo de configuración, en el entorno o con una opción:
cli-setting-idle = está definido y no tiene efecto mientras replay.timing sea
cli-stopping = parando; una segunda señal termina de inmediato
cli-ui-address = se puede ver en:
cli-ui-address-with-password = se puede ver, con la contraseña, en:
cli-ui-needs-terminal = la interfaz en el terminal necesita un terminal como entrada y salida estándar; ejecute la orden en uno, o use en su lugar:
cli-key-missing-optional = la variable de entorno { $variable }, indicada por el ajuste upstream.api_key_env, no está definida, está vacía o no sirve; las peticiones salen sin clave

## Avisos al arrancar

notice-tape-cut-back =
    { $count ->
        [one] el casete { $path } acababa en una escritura interrumpida; recortado a la única interacción ({ $count }) anterior
       *[other] el casete { $path } acababa en una escritura interrumpida; recortado a las { $count } interacciones anteriores
    }
notice-tape-converted = el casete { $path } tenía la versión de formato { $old }; reescrito como versión { $new }
notice-tape-laid-out = el casete { $path } no estaba dispuesto como lo deja el arnés (fines de línea, marca de orden de bytes u otro formateador); reescrito, lo grabado no cambia
notice-tape-rehashed =
    { $count ->
        [one] el casete { $path } se grabó con otras rutas ignoradas o reglas de censura; se recalcularon los hashes de { $count } interacción. La censura no se aplicó de nuevo: `spycatcher-harness verify` dice si hace falta
       *[other] el casete { $path } se grabó con otras rutas ignoradas o reglas de censura; se recalcularon los hashes de { $count } interacciones. La censura no se aplicó de nuevo: `spycatcher-harness verify` dice si hace falta
    }
notice-tape-settings-noted = el casete { $path } estaba vacío; se anotaron en él las rutas ignoradas y reglas de censura actuales
notice-tape-unfinished =
    { $count ->
        [one] el casete { $path } acaba en una escritura inconclusa; se leyó { $count } interacción anterior. Si nadie está grabando en él ahora, `spycatcher-harness record` con este casete lo repara
       *[other] el casete { $path } acaba en una escritura inconclusa; se leyeron { $count } interacciones anteriores. Si nadie está grabando en él ahora, `spycatcher-harness record` con este casete lo repara
    }
notice-key-missing = la variable de entorno { $variable } (upstream.api_key_env) no está definida, está vacía o no sirve: las peticiones recibirán un 502 hasta que se vuelva a arrancar con una clave
notice-secret-too-short = el valor de la variable de entorno { $variable } (redaction.secret_env) es demasiado corto para distinguirlo de un texto corriente: no se busca; use un valor más largo o indique su lugar en redaction.body_paths

## Resúmenes finales

# Entre dos partes de una línea, con sus espacios.
cli-joiner-colon = {": "}
cli-joiner-semicolon = {"; "}
log-client-left = no grabado: el cliente se fue antes de que su respuesta estuviera completa
log-upstream-failed = NO GRABADO: el proveedor falló
log-tape-unwritable = NO GRABADO: no se pudo escribir el casete
log-recorder-failed = NO GRABADO: el grabador falló
log-not-recorded = NO GRABADO
log-kept-failure = conservado como fallo; la reproducción lo pasa por alto mientras no se active replay.include_failures
log-error-status = respuesta grabada con estado de error:
log-recording-failed = la grabación falló dentro de la propia herramienta; se respondió 500
log-chunk-failed = el grabador falló en un fragmento; el flujo sigue sin grabarse
log-replay-failed = la reproducción falló dentro de la propia herramienta; se respondió 500
log-tape-not-found-for-request = la petición no se pudo entregar a su casete; se respondió 500
log-report-unwritable = no se pudo escribir el informe de reproducción y queda incompleto
log-refusal-unreported = no se pudo informar de una petición rechazada
log-fault = fallo introducido en la respuesta de la interacción
log-fault-idle = un fallo no encontró nada que cambiar en la interacción
log-list-full = la lista está llena: los intercambios más antiguos salen de ella y se conservan en el casete (ui.keep)
log-resend-failed = no se ha podido enviar la petición una vez más
log-tls-unusable = no se puede atender a un cliente TLS: la carpeta de certificados del directorio personal no sirve
log-tape-changed = el casete cambió mientras se reproduce; vuelva a iniciar replay para usar lo que hay ahora
log-tape-replaced = el casete fue sustituido o eliminado mientras se reproduce; se sigue con lo que era, vuelva a iniciar replay para usar lo que hay ahora
log-reason-no-answer = el proveedor no respondió nunca
log-reason-broken-stream = el flujo se cortó antes de su final
log-reason-incomplete-event = el flujo SSE terminó antes de que el último evento estuviera completo
log-reason-request-coding = no se pudo deshacer la codificación del contenido de la petición; su cuerpo se conserva como llegó y no se buscaron secretos en él
log-reason-answer-coding = no se pudo deshacer la codificación del contenido de la respuesta; se conserva como llegó y no se buscaron secretos en ella
log-reason-ambiguous-headers = su respuesta tenía cabeceras ambiguas o no permitidas
log-reason-not-http = su respuesta no era HTTP válido
log-reason-answer-too-long = la respuesta tardó demasiado (upstream.total_timeout_s o upstream.idle_timeout_s)
log-reason-attempt-given-up = se abandonó el intento de conexión
log-reason-untrusted-certificate = falló la negociación TLS: su certificado no es de confianza
log-reason-tls-failed = falló la negociación TLS
log-reason-unknown-host = no se pudo resolver su nombre de host
log-reason-connection-refused = la conexión fue rechazada
log-reason-network-unreachable = no se pudo llegar a su red
log-reason-connection-reset = la conexión fue reiniciada
log-reason-connection-closed = la conexión se cerró antes de que la respuesta estuviera completa
log-reason-switched-protocols = cambió de protocolo sin que se le pidiera
log-reason-connect-timed-out = la conexión tardó demasiado (upstream.connect_timeout_s)
log-reason-no-connection = no se pudo establecer la conexión
log-reason-connection-broke = la conexión se cortó antes de que la respuesta estuviera completa
cli-recorded =
    { $count ->
        [one] { $count } interacción grabada en
       *[other] { $count } interacciones grabadas en
    }
cli-recorded-nothing = 0 interacciones grabadas; el cliente debe usar esta URL base:
cli-mitmproxy-address = la dirección en la que escucha mitmproxy
cli-record-error-statuses =
    { $count ->
        [one] { $count } intercambio se grabó con un estado de error; al reproducirlo se responderá con el mismo error
       *[other] { $count } intercambios se grabaron con un estado de error; al reproducirlos se responderá con los mismos errores
    }
cli-record-failed =
    { $count ->
        [one] { $count } intercambio no se grabó por un error; los mensajes anteriores dicen por qué
       *[other] { $count } intercambios no se grabaron por errores; los mensajes anteriores dicen por qué
    }
cli-record-kept-failures =
    { $count ->
        [one] { $count } intercambio fallido se conservó, marcado como fallo
       *[other] { $count } intercambios fallidos se conservaron, marcados como fallos
    }
cli-record-abandoned =
    { $count ->
        [one] { $count } intercambio no se grabó porque el cliente se fue antes de tiempo
       *[other] { $count } intercambios no se grabaron porque el cliente se fue antes de tiempo
    }
cli-record-refused =
    { $count ->
        [one] { $count } petición la respondió el propio arnés y no se grabó (ruta desconocida, método incorrecto, falta la clave, ...)
       *[other] { $count } peticiones las respondió el propio arnés y no se grabaron (ruta desconocida, método incorrecto, falta la clave, ...)
    }
cli-auto-ci = CI está definida y ni la línea de órdenes ni el entorno piden grabar; solo se reproduce
cli-auto-not-kept = la grabación no se conservó, porque no todos los intercambios se grabaron enteros; el casete sigue como estaba
cli-auto-passed-through =
    { $count ->
        [one] { $count } petición pasada tal cual al proveedor; no se grabó nada
       *[other] { $count } peticiones pasadas tal cual al proveedor; no se grabó nada
    }
cli-replayed = interacciones reproducidas: { $used } de { $count }, del archivo
cli-unused = interacciones que no se pidieron nunca, contadas desde 0: { $indexes }
cli-mismatched =
    { $count ->
        [one] { $count } petición recibió un 409 porque no coincidía con nada grabado
       *[other] { $count } peticiones recibieron un 409 porque no coincidían con nada grabado
    }
cli-rejected =
    { $count ->
        [one] { $count } petición se rechazó antes de buscar coincidencias (JSON incorrecto, ruta desconocida, ...)
       *[other] { $count } peticiones se rechazaron antes de buscar coincidencias (JSON incorrecto, ruta desconocida, ...)
    }
cli-dropped-headers = se omitieron cabeceras grabadas que no se pueden enviar: { $names }

## Fallos y reacción del cliente: partes de una línea, unidas por puntos y coma

cli-fault-not-applicable = este fallo no tenía nada que cambiar en la interacción { $index } ({ $reason }):
cli-fault-never-due = ninguna respuesta cumplió esta regla de fallo; revise su interaction y su path:
cli-reaction-retried =
    { $retries ->
        [one] el cliente reintentó una vez, tras { $waits_ms } ms
       *[other] el cliente reintentó { $retries } veces, tras { $waits_ms } ms
    }
cli-reaction-gave-up =
    { $retries ->
        [0] el cliente desistió sin reintentar
        [one] el cliente reintentó una vez, tras { $waits_ms } ms, y desistió
       *[other] el cliente reintentó { $retries } veces, tras { $waits_ms } ms, y desistió
    }
cli-reaction-accepted-half-stream = el cliente aceptó medio flujo
cli-reaction-accepted-half-answer = el cliente aceptó media respuesta
cli-reaction-accepted-altered-stream = el cliente aceptó el flujo alterado
cli-reaction-took-answer = el cliente tomó la respuesta
cli-reaction-honoured = se respetó Retry-After
cli-reaction-hasty = no se respetó Retry-After, { $early_ms } ms antes de tiempo
cli-reaction-left = colgó antes del final
cli-reaction-went-on = siguieron otras peticiones
cli-reaction-nothing-more = después no se pidió nada más

## Hallazgos de `verify`

verify-interaction = interacción
verify-clean =
    { $count ->
        [one] { $count } interacción comprobada, nada que señalar
       *[other] { $count } interacciones comprobadas, nada que señalar
    }
verify-found =
    { $count ->
        [one] { $count } problema encontrado
       *[other] { $count } problemas encontrados
    }
verify-only-warnings =
    { $count ->
        [one] { $count } aviso, ningún problema
       *[other] { $count } avisos, ningún problema
    }
verify-ignore-paths-drift = grabado con otras rutas ignoradas ({ $recorded }) que las de la configuración ({ $configured }); use las mismas, o continúe el casete con `record` para recalcular sus hashes
verify-normalize-drift = grabado con otras reglas de normalización ({ $recorded }) que las de la configuración ({ $configured }); use las mismas, o continúe el casete con `record` para recalcular sus hashes
verify-ignore-path-misfit = la ruta ignorada { $path } no encaja en el cuerpo de la petición; corrija matching.ignore_paths
verify-hash-missing = la petición no tiene stable_hash; grábela de nuevo, o escriba este: { $computed }
verify-hash-mismatch = stable_hash es { $stored }, pero la petición grabada da { $computed }; uno de los dos se modificó
verify-canonical-mismatch = canonical_request no concuerda con la petición grabada: { $differences }
verify-request-json-mismatch = parsed_json no concuerda con el cuerpo de la petición; uno de los dos se modificó
verify-request-not-json = el cuerpo de la petición no es JSON; al reproducirla se responde 400 y nunca con esta interacción
verify-response-json-mismatch = parsed_json no concuerda con el cuerpo de la respuesta; uno de los dos se modificó
verify-events-mismatch = el evento { $event } del flujo no concuerda con raw_transcript; uno de los dos se modificó
verify-events-count = hay { $events } eventos, pero raw_transcript da { $parsed }; uno de los dos se modificó
verify-transcript-unreadable = raw_transcript no se puede leer como eventos: { $problem }
verify-chunks-order = las posiciones finales de los fragmentos decrecen en el fragmento { $chunk }
verify-chunks-end = el último fragmento acaba en el byte { $end }, pero raw_transcript tiene { $length }
verify-chunks-time = los tiempos de los fragmentos decrecen en el fragmento { $chunk }
verify-chunks-ttft = el primer fragmento llegó a los { $first_ms } ms, antes de ttft_ms, que es { $ttft_ms }
verify-recorded-at = metadata.recorded_at es { $value }; se espera una hora UTC como 2026-01-31T12:00:00.000000Z
verify-request-header = la petición conserva la cabecera { $name }, que nombran las reglas de censura; quítela
verify-response-header = la respuesta conserva la cabecera { $name }, que nombran las reglas de censura; quítela
verify-secret = { $place } contiene un secreto (regla { $rule }, SHA-256 { $digest }…); grábelo de nuevo y sustituya el secreto si el archivo se ha compartido
verify-query-credential = el parámetro { $name } de la URL parece una credencial; asegúrese de que su valor no es un secreto
verify-response-status = el estado de la respuesta es { $status }, que ninguna reproducción puede enviar: responde 502 en su lugar; se espera un estado de 200 a 599
verify-header-not-sendable = la cabecera de respuesta { $name } no se puede enviar y se omite al reproducir
verify-event-carriage-return = el evento { $event } tiene un retorno de carro en sus datos, que un cliente lee como fin de línea
verify-stream-without-events = la petición pide un flujo, pero la respuesta es corriente y no está marcada con answers_stream; al reproducirla se responde 501
verify-redaction-drift = grabado antes de que estas reglas de censura estuvieran en la configuración: { $rules }; lo que nombran se busca de todos modos, y `spycatcher-harness scrub` lo quita
verify-event-json-mismatch = parsed_json del evento { $event } no concuerda con sus datos; uno de los dos se ha editado
verify-chunks-count = chunk_offsets_ms tiene { $times } tiempos para { $events } eventos y no se sabe cuándo llegó cada uno; grábelo de nuevo
verify-recorded-earlier = grabada a las { $value }, antes que la interacción { $other } ({ $latest }), que está delante; póngalas en orden, salvo que se hayan unido casetes a propósito
verify-duplicate = igual que la interacción { $first }, hasta en la hora de grabación; elimine una de las dos
verify-unknown-key = la clave { $key } no es de este formato y se pasa por alto (la más parecida: { $nearest }; interacciones con ella: { $count }); corríjala o elimínela
verify-large = tiene { $size } bytes, y se avisa a partir de { $limit }; compruebe que debe estar en el repositorio
verify-unreadable = no se puede leer
verify-unreadable-count =
    { $count ->
        [one] { $count } casete no se puede leer
       *[other] { $count } casetes no se pueden leer
    }
verify-summary = casetes: { $tapes }; limpios: { $clean }; con problemas: { $findings }; ilegibles: { $unreadable }; otros archivos: { $others }

## Órdenes para casetes existentes

cli-ls-about = Enumera las interacciones de un casete.
cli-show-about = Muestra una interacción como conversación.
cli-diff-about = Compara dos casetes, separando redacción y comportamiento.
cli-stats-about = Cuenta tokens, bytes, duraciones y coste estimado.
cli-merge-about = Reúne varios casetes en uno nuevo.
cli-prune-about = Escribe una copia de un casete sin algunas de sus interacciones.
cli-convert-about = Convierte entre formatos de casete, vcrpy, HAR y WireMock.
cli-scrub-about = Aplica las reglas de censura actuales a casetes que ya existen.
cli-doctor-about = Examina el entorno e indica cómo corregir lo que falla.
cli-group-output = Salida:
cli-option-json = Muestra JSON, para programas.
cli-option-raw = Muestra los bytes grabados de la respuesta.
cli-option-output = Archivo que se escribe.
cli-option-force = Sobrescribe el archivo si existe.
cli-option-check = No escribe nada; termina con el código 1 si algo fuera a cambiar.
cli-option-format = Qué se muestra: texto para personas, lo demás para programas.
cli-option-strict = Cuenta los avisos como problemas.
cli-option-prices = Tabla de precios (TOML) para el coste estimado.
cli-option-drop = Interacciones que se omiten, por ejemplo 0,3-5.
cli-option-unused-in = Informe de una reproducción: se quita lo que nadie pidió.
cli-option-to = Formato que se escribe.
cli-argument-cassette = Ruta de un casete; si falta, el de la configuración.
cli-argument-cassettes = Rutas de casetes; si faltan, el de la configuración.
cli-argument-tapes = Casetes, o carpetas con casetes; el configurado si no se indica ninguno.
cli-argument-inputs = Rutas de los casetes, en el orden deseado.
cli-argument-source = Un casete, un archivo HTTP (HAR) o un casete de vcrpy.
cli-argument-left = Ruta del primer casete.
cli-argument-right = Ruta del casete con el que se compara.
cli-argument-number = Número de la interacción, contado desde 0.
cli-expected-indexes = se esperan números como 0,3-5
cli-column-index = n.º
cli-column-time = hora
cli-column-model = modelo
cli-column-stream = flujo
cli-column-status = estado
cli-column-input = tokens entr.
cli-column-output = tokens sal.
cli-column-bytes = bytes
cli-column-hash = hash
cli-column-interactions = interacciones
cli-column-errors = errores
cli-column-streams = flujos
cli-column-sent = bytes enviados
cli-column-received = bytes recibidos
cli-column-first = primero ms
cli-column-whole = total ms
cli-column-cost = coste estimado
cli-yes = sí
cli-hashes-shortened = Los hashes se acortan a 12 de 64 cifras; `--json` los muestra enteros.
cli-tape-empty = el casete no tiene interacciones
cli-show-missing = no hay interacción { $index }; se cuentan desde 0, y la última es { $last }
cli-diff-request = petición
cli-diff-behaviour = comportamiento
cli-diff-wording = redacción
cli-diff-single = solo en
cli-diff-same =
    { $count ->
        [one] { $count } interacción, ninguna diferencia
       *[other] { $count } interacciones, ninguna diferencia
    }
cli-diff-summary = iguales: { $same }; otra petición: { $request }; otro comportamiento: { $behaviour }; otra redacción: { $wording }; sin pareja: { $single }
cli-stats-total = todas
cli-stats-no-usage =
    { $count ->
        [one] { $count } respuesta no indica sus tokens; falta en las sumas de tokens y coste
       *[other] { $count } respuestas no indican sus tokens; faltan en las sumas de tokens y coste
    }
cli-stats-no-price = la tabla de precios no tiene precio para:
cli-wrote =
    { $count ->
        [one] { $count } interacción escrita en
       *[other] { $count } interacciones escritas en
    }
cli-file-exists = { $path } ya existe y no se ha tocado; indique otro --output, o --force para sobrescribirlo
cli-file-same = { $path } es uno de los archivos que se leen; indique otro --output
cli-file-unreadable = no se puede leer { $path }: { $reason }; compruebe la ruta y sus permisos
cli-file-unwritable = no se puede escribir { $path }: { $reason }; compruebe la ruta, sus permisos y el espacio en disco
cli-file-unconvertible = { $path } no se puede convertir: { $problem }
cli-prices-unusable = la tabla de precios { $path } no se puede usar: { $problem }
cli-convert-verify = solo se ha censurado lo que nombran las reglas; revise los cuerpos y ejecute `spycatcher-harness verify` antes de incluir el casete en el repositorio
cli-secrets-carried =
    { $count ->
        [one] { $count } interacción contiene lo que nombran las reglas de censura, y se lo ha llevado; ejecute `spycatcher-harness scrub` sobre la entrada y repita esto
       *[other] { $count } interacciones contienen lo que nombran las reglas de censura, y se lo han llevado; ejecute `spycatcher-harness scrub` sobre la entrada y repita esto
    }
cli-prune-nothing-named = nada dice qué hay que quitar; indique --drop, o el --report de una reproducción
cli-prune-no-report = { $path } no dice qué interacciones se usaron: { $problem }; indique el archivo que `replay --report` escribió en su formato predeterminado
cli-prune-other-cassette = { $path } es el informe de otro casete, o { $cassette } ha cambiado desde entonces (interacción { $index }); reprodúzcalo de nuevo con --report
cli-file-unfinished = { $path } termina en una adición inacabada y no se ha tocado; detenga la grabadora, o deje que `spycatcher-harness record` lo repare primero
cli-folder-empty = no hay ningún casete en { $path }; indique la ruta de uno, u otra carpeta
cli-folder-passed-over =
    { $count ->
        [one] se ha pasado por alto { $count } archivo que no es un casete
       *[other] se han pasado por alto { $count } archivos que no son casetes
    }
cli-scrub-output-misfit = --output va con un solo casete y no con --check; prescinda de uno de los dos
cli-scrub-unsearched = su codificación de contenido es desconocida o está dañada, por lo que no se ha examinado; revíselo usted, o grábelo de nuevo
cli-scrub-left = una regla lo nombra, pero está donde scrub no sustituye nada; quítelo a mano, o grábelo de nuevo
cli-scrub-clean = nada que sustituir
cli-scrub-would-change =
    { $count ->
        [one] se sustituiría o quitaría { $count } valor
       *[other] se sustituirían o quitarían { $count } valores
    }
cli-scrub-changed =
    { $count ->
        [one] { $count } valor sustituido o quitado
       *[other] { $count } valores sustituidos o quitados
    }
cli-scrub-converted = escrito en la versión de formato { $version }
cli-loss-event-fields =
    { $count ->
        [one] se pierde: el campo event, id o retry de { $count } evento
       *[other] se pierde: los campos event, id o retry de { $count } eventos
    }
cli-loss-answers-stream =
    { $count ->
        [one] se pierde: la marca answers_stream de { $count } respuesta, sin la cual al reproducirla se responde 501
       *[other] se pierde: la marca answers_stream de { $count } respuestas, sin la cual al reproducirlas se responde 501
    }
cli-loss-failures =
    { $count ->
        [one] se pierde: que { $count } intercambio terminó mal; ahora parece bueno
       *[other] se pierde: que { $count } intercambios terminaron mal; ahora parecen buenos
    }
cli-loss-chunk-times =
    { $count ->
        [one] se pierde: cómo se dividieron los bytes de { $count } flujo y cuándo llegaron exactamente
       *[other] se pierde: cómo se dividieron los bytes de { $count } flujos y cuándo llegaron exactamente
    }
cli-loss-durations =
    { $count ->
        [one] se pierde: cuánto tardó { $count } respuesta simple
       *[other] se pierde: cuánto tardaron { $count } respuestas simples
    }
cli-loss-settings =
    { $count ->
        [one] se pierde: las rutas ignoradas y las reglas de censura de { $count } casete
       *[other] se pierde: las rutas ignoradas y las reglas de censura de { $count } casetes
    }
cli-loss-hashes =
    { $count ->
        [one] se pierde: el hash de { $count } petición
       *[other] se pierde: los hashes de { $count } peticiones
    }
cli-loss-hosts =
    { $count ->
        [one] no se conoce: la dirección del proveedor; { $count } petición lleva una inventada
       *[other] no se conoce: la dirección del proveedor; { $count } peticiones llevan una inventada
    }
cli-loss-times =
    { $count ->
        [one] se pierde: cuándo se grabó { $count } interacción
       *[other] se pierde: cuándo se grabaron { $count } interacciones
    }
cli-loss-foreign =
    { $count ->
        [one] se omite: { $count } intercambio con un punto de acceso que el arnés no atiende
       *[other] se omite: { $count } intercambios con puntos de acceso que el arnés no atiende
    }
cli-loss-unusable =
    { $count ->
        [one] se omite: { $count } intercambio sin respuesta completa
       *[other] se omite: { $count } intercambios sin respuesta completa
    }
cli-loss-redacted =
    { $count ->
        [one] quitada por las reglas de censura: { $count } cabecera
       *[other] quitadas por las reglas de censura: { $count } cabeceras
    }
cli-loss-secrets =
    { $count ->
        [one] sustituido por una marca según las reglas de censura: { $count } secreto
       *[other] sustituidos por marcas según las reglas de censura: { $count } secretos
    }
cli-doctor-fine = no se ha encontrado ningún problema
cli-doctor-python = instale Python { $wanted } o posterior, y con él el arnés
cli-doctor-mitmproxy = instale mitmproxy{ $wanted }, preferiblemente reinstalando el arnés
cli-doctor-proxy = los clientes enviarían a este proxy las peticiones para el arnés; añada 127.0.0.1 y localhost a NO_PROXY
cli-doctor-base-url = esta variable no apunta al arnés; ejecute en el intérprete de su programa la línea export que muestran `record` y `replay`
cli-doctor-key = para grabar hace falta una clave en esta variable, que nombra upstream.api_key_env; para reproducir, ninguna
cli-doctor-port = nada puede escuchar ahí; cierre lo que usa la dirección, o tome un puerto libre con `--listen 127.0.0.1:0`
cli-doctor-no-cassette = aún no hay casete: ejecute `spycatcher-harness record`, o compruebe --cassette-dir y --cassette-name
cli-doctor-ca-folder = los clientes que hablan TLS con el arnés necesitan un certificado, y en esta carpeta no se puede escribir; corrija sus permisos
cli-doctor-ca-open = otros pueden leer esta clave privada; ejecute `chmod 600` sobre el archivo
cli-doctor-clock = el reloj está mal; ajústelo, pues de él dependen los certificados y las horas grabadas
cli-doctor-clock-drift = el reloj del sistema de archivos difiere en { $seconds } s; ajuste ambos con la misma fuente
