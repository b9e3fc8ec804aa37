# SPDX-License-Identifier: GPL-2.0-only
# Completion for fish.

function __memcache_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct | string replace -r '^["\']' '')
    set -l found (memcache complete (path basename $words[1]) $words[2..] "$word" 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path "$word"
    end
end

complete -c memcache -f -a '(__memcache_complete)'
complete -c memcache-user -f -a '(__memcache_complete)'
