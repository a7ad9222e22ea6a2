# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Completion of nfsrdma for fish 3. The build puts the tables of the program's commands and options in
# place of the marked line.

# The command and its operands before the cursor, one per line.
function __nfsrdma_operands
    set -l words (commandline -opc)
    set -l skip
    for word in $words[2..]
        if set -q skip[1]
            set -e skip
            continue
        end
        switch $word
            case '-*=*'
            case '-*'
                if contains -- $word $__nfsrdma_valued
                    set skip yes
                end
            case '*'
                printf '%s\n' $word
        end
    end
end

# __nfsrdma_in COMMAND: the line is of this command.
function __nfsrdma_in
    set -l operands (__nfsrdma_operands)
    test "$operands[1]" = "$argv[1]"
end

# __nfsrdma_at -eq|-ge NUMBER WORD...: so many operands come before the cursor, and begin with these words.
function __nfsrdma_at
    set -l operands (__nfsrdma_operands)
    test (count $operands) $argv[1] $argv[2]
    or return
    set -l i 1
    for word in $argv[3..]
        test "$operands[$i]" = "$word"
        or return
        set i (math $i + 1)
    end
end

# __nfsrdma_has OPTION: it is on the line.
function __nfsrdma_has
    string match -qr -- "^$argv[1](=|\$)" (commandline -opc)
end

# The value at the cursor, without the option before it.
function __nfsrdma_typed
    string replace -r -- '^--[^=]*=' '' (commandline -ct)
end

# __nfsrdma_names LIST: names of this host.
function __nfsrdma_names
    set -l before
    # Options of a mount are a list.
    if test $argv[1] = options
        set before (string match -r -- '^.*,' (__nfsrdma_typed))
    end
    command nfsrdma names $argv[1] (__nfsrdma_typed) 2>/dev/null </dev/null | string replace -r '^' -- "$before"
end

function __nfsrdma_directories
    __fish_complete_directories (__nfsrdma_typed)
end

complete -c nfsrdma -f
#TABLES#
