#!/bin/bash
# serve.sh EXPORT.xml PORT     install MediaWiki, import the export, serve it at http://127.0.0.1:PORT/w/api.php
# serve.sh import EXPORT.xml   only install and import; a copy of the folder can be served at any port
# serve.sh stop                stop that server
# All can be said twice: a running server is left alone, and an export that is imported is not imported again.
# MW_TEST_HOME is where all of it lives (a folder of its own, outside the repository). MW_API_MAX, MW_SERVER:
# see TestSettings.php.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
mediawiki=${MW_ROOT:-/usr/share/mediawiki}
export MW_ROOT=$mediawiki MW_TEST_HOME=${MW_TEST_HOME:?set it to a folder outside the repository}
export MW_CONFIG_FILE=$MW_TEST_HOME/LocalSettings.php
pid_file=$MW_TEST_HOME/server.pid

maintain() { php -d memory_limit=1G "$mediawiki/maintenance/$1" "${@:2}"; }

# A process that has ended and that nobody has asked for yet (a zombie) does not run
is_running() { [ -s "$pid_file" ] && grep -qs '^State:.[^Z]' "/proc/$(cat "$pid_file")/status"; }

stop() {
    is_running || return 0
    kill -- "-$(cat "$pid_file")" # the server and its workers are a process group
    while is_running; do sleep 0.05; done
    rm -f "$pid_file"
}

first() { grep -m1 -oE "$1" "$export" | grep -oE '[^"<>=]+$'; }

import() {
    if [ -n "$(ls -A "$MW_TEST_HOME" 2>/dev/null)" ] && [ ! -e "$MW_CONFIG_FILE" ]; then
        echo "$MW_TEST_HOME holds something else: set MW_TEST_HOME to a new folder"
        exit 1
    fi
    rm -rf "$MW_TEST_HOME"
    mkdir -p "$MW_TEST_HOME"/{data,cache}
    maintain install.php --dbtype=sqlite --dbpath="$MW_TEST_HOME/data" --dbname="$(first '<dbname>[^<]+')" \
        --lang="$(first 'xml:lang="[^"]+')" --server=http://127.0.0.1 --scriptpath=/w \
        --confpath="$MW_TEST_HOME" --pass=not-a-secret-1 "Test Wiki" Admin
    echo "require '$here/TestSettings.php';" >>"$MW_CONFIG_FILE"
    maintain importDump.php --no-updates --username-prefix=imported "$export"
    php "$here/afterImport.php" --export "$export"
    maintain rebuildrecentchanges.php
    maintain createAndPromote.php --force --bot Robot not-a-secret-2
    maintain createBotPassword.php --appid newwiki --grants highvolume,basic Robot "$(printf 'a%.0s' {1..32})"
    echo "$imported" >"$MW_TEST_HOME/imported"
}

start() {
    : >"$MW_TEST_HOME/faults.txt"
    PHP_CLI_SERVER_WORKERS=4 setsid php -d memory_limit=512M -d display_errors=0 -d zlib.output_compression=On \
        -S "127.0.0.1:$port" -t "$mediawiki" "$here/router.php" </dev/null >"$MW_TEST_HOME/server.log" 2>&1 &
    echo $! >"$pid_file"
}

answers() { php -r 'exit(@file_get_contents($argv[1]) ? 0 : 1);' "http://127.0.0.1:$port/w/api.php?action=query&format=json"; }

if [ "${1:-}" = stop ]; then
    stop
    exit
fi
[ "${1:-}" = import ] && only_import=yes && shift
export=$(readlink -f "${1:?which export?}")
imported=$(cat "$export" "$here"/{TestSettings,afterImport}.php | sha256sum)
[ "$(cat "$MW_TEST_HOME/imported" 2>/dev/null)" = "$imported" ] || {
    stop
    import >&2
}
[ -z "${only_import:-}" ] || exit 0
port=${2:?which port?}
[ "$(cat "$MW_TEST_HOME/port" 2>/dev/null)" = "$port" ] || stop
echo "$port" >"$MW_TEST_HOME/port"
is_running || start
for _ in $(seq 200); do
    answers && exit
    is_running || break
    sleep 0.05
done
echo "MediaWiki does not answer on port $port:" >&2
cat "$MW_TEST_HOME/server.log" >&2
exit 1
