#!/usr/bin/env bash
# Installs the pinned harness programs into a cache folder, each once.
#
#   e2e/install.sh [NAME...]        all of harnesses.txt, or those named
#
# AGENTLTL_E2E_CACHE names the folder; default: agentltl-e2e in the user's
# cache folder. Needs npm; for Vibe also Python 3.12 or newer, on PATH or among
# pyenv's versions.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
cache=${AGENTLTL_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/agentltl-e2e}
mkdir -p "$cache"

# python prints a Python of at least 3.12. A pyenv shim may be on PATH and
# refuse to run, so each candidate is tried.
python() {
    local candidate
    for candidate in python3.12 python3.13 python3.14 python3 \
        "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 12))' > /dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    echo "no Python 3.12 or newer on PATH or among pyenv's versions" >&2
    return 1
}

install_npm() { # install_npm FOLDER PACKAGE VERSION
    npm install --prefix "$1" --no-save --no-package-lock --no-audit --no-fund --loglevel=error "$2@$3"
}

install_pip() { # install_pip FOLDER PACKAGE VERSION
    local py
    py=$(python)
    "$py" -m venv "$1"
    "$1/bin/python" -m pip install --quiet "$2==$3"
}

while read -r name client package version program; do
    case $name in '' | '#'*) continue ;; esac
    if [ $# -gt 0 ] && [[ " $* " != *" $name "* ]]; then continue; fi
    folder=$cache/$name-$version
    if [ -e "$folder/.complete" ]; then
        echo "$name $version: in $folder"
        continue
    fi
    echo "$name $version: installing into $folder"
    rm -rf "$folder"
    mkdir -p "$folder"
    "install_$client" "$folder" "$package" "$version" < /dev/null
    [ -x "$folder/$program" ] || { echo "$name $version: no $program came of it" >&2; exit 1; }
    touch "$folder/.complete"
done < "$here/harnesses.txt"
