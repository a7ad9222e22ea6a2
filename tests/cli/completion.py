#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# completion.py SHELL FOLDER <CASES: types each line of CASES into an interactive bash or zsh, followed by
# Tab, or asks fish for its completion, and prints what is not as expected. A case is KIND, LINE and
# EXPECTED, separated by tabs:
#	all	the candidates are these words and no others
#	word	the last word of the line is then this one
#	same	the line stays as it is
# FOLDER has the completion as the shell looks for it, and is where the shell's files are.
import os
import pty
import select
import shlex
import subprocess
import sys
import threading

# Control-U empties the line, Control-T reports it.
RC = {
    "bash": r"""
PS1='> ' HISTFILE=
bind 'set completion-query-items 0'
bind 'set page-completions off'
bind 'set bell-style none'
bind 'set enable-bracketed-paste off'
source /usr/share/bash-completion/bash_completion
_completion_loader nfsrdma
capture() { COMPREPLY=(); _nfsrdma "$@"; printf '%s\n' "${COMPREPLY[@]}" >words; }
complete -F capture nfsrdma
report() { printf '%s\n' "$READLINE_LINE" >line; }
bind -x '"\C-t": report'
report
""",
    "zsh": r"""
PS1='> ' LISTMAX=100000
unset HISTFILE
setopt no_beep
fpath=($PWD/zsh $fpath)
autoload -Uz compinit
compinit -u -D
compadd()
{
	local -a hits

	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		builtin compadd -A hits "$@"
		(( ! $#hits )) || print -rl -- $hits >>words
	fi
	builtin compadd "$@"
}
report() { print -r -- "$BUFFER" >line; }
zle -N report
bindkey '^T' report
bindkey '^U' kill-whole-line
zle-line-init() { zle -D zle-line-init; report; }
zle -N zle-line-init
""",
}
ARGV = {"bash": ["bash", "--noprofile", "--rcfile", "bash.rc", "-i"], "zsh": ["zsh", "-d", "-i"]}


def drain(master):
    """Reads what the terminal shows, so that the shell never waits for it."""
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass


class Shell:
    def __init__(self, name, folder):
        os.chdir(folder)
        with open(".zshrc" if name == "zsh" else "bash.rc", "w", encoding="utf-8") as file:
            file.write(RC[name])
        for path in ("line", "words"):
            if os.path.lexists(path):
                os.unlink(path)
        os.mkfifo("line")
        self.fifo = os.open("line", os.O_RDWR)
        self.pid, self.master = pty.fork()
        if not self.pid:
            os.environ.update(TERM="vt100", ZDOTDIR=folder, BASH_COMPLETION_USER_DIR=folder, COLUMNS="200")
            os.execvp(ARGV[name][0], ARGV[name])
        threading.Thread(target=drain, args=(self.master,), daemon=True).start()
        self.answer()

    def answer(self):
        text = b""
        while not text.endswith(b"\n"):
            if not select.select([self.fifo], [], [], 300)[0]:
                sys.exit("completion.py: the shell does not answer")
            text += os.read(self.fifo, 65536)
        return text[:-1].decode()

    def complete(self, line):
        open("words", "w", encoding="utf-8").close()
        os.write(self.master, b"\x15" + line.encode() + b"\t\x14")
        line = self.answer()
        with open("words", encoding="utf-8") as file:
            words = sorted({word.rstrip(" ") for word in file.read().split("\n")} - {""})
        return line, words

    def end(self):
        os.write(self.master, b"\x15exit\n")
        os.waitpid(self.pid, 0)


class Fish:
    """It completes a line without a terminal, and inserts and quotes a single candidate itself."""

    def __init__(self, folder):
        os.chdir(f"{folder}/folder/inner")
        os.environ.update(HOME=folder, XDG_CONFIG_HOME=folder, XDG_DATA_HOME=folder)

    def complete(self, line):
        run = subprocess.run(["fish", "-c", "complete -C $argv[1]", "--", line], text=True, check=True,
                             capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        if run.stderr:
            print(f"fish: {line}: {run.stderr}")
        words = sorted({word.split("\t")[0] for word in run.stdout.splitlines()})
        return (shlex.quote(words[0]) if len(words) == 1 else line), words

    def end(self):
        pass


def last_word(name, line):
    """As the shell that completed it reads it."""
    script = f"set -- {line}\n" + 'eval last=\\${$#}; printf %s "$last"'
    argv = ["zsh", "-fc"] if name == "zsh" else ["bash", "-c"]
    return subprocess.run(argv + [script], text=True, capture_output=True, timeout=300).stdout


def main():
    name, folder = sys.argv[1:]
    shell = Fish(folder) if name == "fish" else Shell(name, folder)
    for case in sys.stdin.read().splitlines():
        kind, line, expected = case.split("\t")
        after, words = shell.complete(line)
        if kind == "all":
            got, expected = " ".join(words), " ".join(sorted(expected.split()))
        elif kind == "same":
            got, expected = after, line
        else:
            got = last_word(name, after)
        if got != expected:
            print(f"{name}: {line}\n  expected  {expected}\n  got       {got}\n  line      {after}")
    shell.end()


main()
