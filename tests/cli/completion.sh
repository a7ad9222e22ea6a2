#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The completion of bash, zsh and fish, in those shells: each command, option and value of the program, and
# names of a machine, quoted. What the program accepts is read from its own help and errors.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires bash zsh fish python3
[[ -r /usr/share/bash-completion/bash_completion ]] || skip "no bash-completion"

built=${NFSRDMA%/*}/plugin/cli/completion
shells=$work/shells
host=$work/host
mkdir -p "$shells"/{completions,zsh,fish/completions,bin,folder/inner} "$host"/{etc/libvirt/storage,proc/self,run} \
	"$host"/sys/class/{infiniband/mlx5_0/ports,net/eth7,net}
cp "$built/nfsrdma" "$shells/completions/"
cp "$built/_nfsrdma" "$shells/zsh/"
cp "$built/nfsrdma.fish" "$shells/fish/completions/"
cat >"$shells/bin/nfsrdma" <<END
#!/bin/sh
case \$1:\$2 in
names:addresses | names:listeners) exec '$NFSRDMA' "\$@" ;;
names:*) exec '$NFSRDMA' "\$@" --root '$host' ;;
esac
echo "\$@" >>'$work/called'
END
chmod +x "$shells/bin/nfsrdma"

# --- a machine with names that a shell could take for something else -----------------------------

touch "$host/sys/class/net/bonding_masters" "$host/sys/class/net/eth7/ifindex"
# shellcheck disable=SC2016 # nothing is to expand
hostile=("disk pool" "quote's" 'dbl"quote' 'dollar$(touch HERE)' 'tick`touch HERE`' 'semi;touch HERE' 'back\slash' 'star*' 'colon:name'
	'amp&' '#hash' '~tilde' 'paren(x)' 'less<x' 'bang!x' 'comma,x' 'equal=x' '{a,b}' 'münze')
# pool NAME: its file, as libvirt writes it.
pool()
{
	local name=${1//&/"&amp;"}

	name=${name//</"&lt;"}
	cat >"$host/etc/libvirt/storage/$1.xml" <<END
<pool type='netfs'><name>$name</name><source><host name='nas1'/><dir path='/vm'/><format type='nfs'/></source>
<target><path>/srv/pool</path></target></pool>
END
}
for name in "${hostile[@]}" $'esc\e[31mape'; do
	pool "$name"
done
cat >"$host/proc/self/mountinfo" <<'END'
1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
42 1 0:42 / /srv/my\040disks rw,relatime shared:42 - nfs4 nas1:/export/my\040disks rw,vers=4.2,proto=rdma,port=20049,addr=192.0.2.1
43 1 0:43 / /srv/line\012break rw,relatime shared:43 - nfs4 nas2:/x rw,vers=4.2,proto=rdma,port=20049,addr=192.0.2.1
44 1 0:44 / /srv/local rw,relatime shared:44 - ext4 /dev/sdb1 rw
END
echo '[2001:db8::1]:/v6 /srv/v6 nfsrdma rw 0 0' >"$host/etc/fstab"

# A reader that does not read: names ends by itself.
python3 -c 'import os, subprocess, sys
r, w = os.pipe()
os.set_blocking(w, False)
try:
    while True:
        os.write(w, bytes(4096))
except BlockingIOError:
    os.set_blocking(w, True)
sys.exit(subprocess.run([sys.argv[1], "names", "findings"], stdout=w, timeout=300).returncode)' "$NFSRDMA" &
stuck=$!

# --- what is expected ---------------------------------------------------------------------------

all() { printf 'all\t%s\t%s\n' "$1" "${*:2}" >>"$work/cases"; }
word() { printf 'word\t%s\t%s\n' "$1" "$2" >>"$work/cases"; }
# list_of WORD: of "takes a, b or c, not 'x'" or "expected a, b or c" on stderr; nothing if it is no list of
# words.
list_of() { sed -nE "s/.*$1( one of)? ([a-z0-9.]+((, | or )[a-z0-9.]+)*)(, not '.*| \(see .*)/\2/p" "$work/err" |
	sed 's/ or /, /' | tr -d ','; }

run --help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' "$work/out")
(($(wc -w <<<"$commands") > 10)) || fail "no commands in the help"
# shellcheck disable=SC2086 # words
all 'nfsrdma ' $commands
# shellcheck disable=SC2086
all 'nfsrdma help ' $commands
all 'nfsrdma -' -h --help -V --version
lists=0 paths=0 options=0 asked=' '
for command in $commands; do
	run "$command" --help
	cp "$work/out" "$work/help"
	# shellcheck disable=SC2046
	all "nfsrdma $command -" $(grep -oE '^  (    |-[a-zA-Z], )--[a-z-]+' "$work/help" | tr -d ',')
	while read -r option arg; do
		((++options))
		case $arg in
		DIR | FILE) word "nfsrdma $command $option $shells/fol" "$shells/folder/"; ((++paths)) ;;
		PATH) word "nfsrdma $command $option /srv/my" "/srv/my disks" ;;
		esac
		# Each name once, and where it depends on the command.
		[[ $command == @(plan|ovirt) || $asked != *" $option "* ]] || continue
		asked+="$option "
		# It never runs: the last word is no option.
		run "$command" "$option=?" '--?'
		words=$(list_of takes)
		[[ $words ]] || continue
		# shellcheck disable=SC2086
		all "nfsrdma $command $option " $words
		((++lists))
	done < <(sed -nE 's/^  (    |-[a-zA-Z], )(--[a-z-]+) ([A-Z].*)/\2 \3/p' "$work/help" | awk '{ print $1, $2 }')
done
((options > 80 && lists >= 9 && paths >= 6)) || fail "$options options, $lists lists, $paths paths"
for command in pool ovirt setup; do
	run "$command"
	# shellcheck disable=SC2046
	all "nfsrdma $command " $(list_of expected)
done
word 'nfsrdma probe --level=f' --level=full
word 'nfsrdma probe --level=full --embed' --embedded
word 'nfsrdma plan -o rdma,har' rdma,hard
word 'nfsrdma plan --options=proto=rdma,vers' --options=proto=rdma,vers=
# The value of an option is no operand, and nothing is an option after --.
all 'nfsrdma setup --software ' rxe siw
all 'nfsrdma setup client '
all 'nfsrdma setup --software rxe client ' eth7
all 'nfsrdma pool list '
word 'nfsrdma pool --connect list ver' verify
word 'nfsrdma check -- nas1:/ex' 'nas1:/export/my disks'
word 'nfsrdma probe --device m' mlx5_0
word 'nfsrdma probe --bind 127.0.0' 127.0.0.1
word 'nfsrdma serve --listen 127.0.0' 127.0.0.1:20049
word "nfsrdma snapshot $shells/fol" "$shells/folder/"
word 'nfsrdma snapshot x.tar.gz nas1:/e' 'nas1:/export/my disks'
# Only exports that are mounted or configured; [ is quoted.
word 'nfsrdma doctor nas1:/export' 'nas1:/export/my disks'
word "nfsrdma doctor '[2001" '[2001:db8::1]:/v6'
word 'nfsrdma ovirt options nas1:/e' 'nas1:/export/my disks'
word 'nfsrdma ovirt policy nas0:/a nas0:/b nas1:/e' 'nas1:/export/my disks'
word 'nfsrdma pool define new nas1:/e' 'nas1:/export/my disks'
word 'nfsrdma explain bug.read-8' bug.read-812
word 'nfsrdma explain probe.connect/refu' probe.connect/refused
word 'nfsrdma explain client.module probe.connect/refu' probe.connect/refused
word 'nfsrdma probe --mount=/srv/my' '--mount=/srv/my disks'
# A line break cannot be shown; the other file system is not NFS.
word 'nfsrdma probe --mount /srv/li' /srv/li
word 'nfsrdma pool verify esc' esc
for name in "${hostile[@]}"; do
	begin=${name:0:3}
	[[ $name != [\#\~\{]* ]] || begin="'$begin"
	word "nfsrdma pool verify $begin" "$name"
	# In quotes that are open.
	[[ $name == *[\'!]* ]] || word "nfsrdma pool convert '${begin#"'"}" "$name"
done
word "nfsrdma pool convert \"dollar" "dollar\$(touch HERE)"
word 'nfsrdma pool convert disk\ po' 'disk pool'
word 'nfsrdma pool convert "disk p' 'disk pool'
word 'nfsrdma pool convert colon:n' 'colon:name'
# What a shell would expand is not completed, and not run.
# shellcheck disable=SC2016
printf 'same\t%s\t\n' 'nfsrdma pool convert $(touch${IFS}HERE' >>"$work/cases"

# --- in each shell ------------------------------------------------------------------------------

for shell in bash zsh fish; do
	status=0
	PATH=$shells/bin:$PATH LC_ALL=C.UTF-8 python3 "$NFSRDMA_SOURCE/tests/cli/completion.py" $shell "$shells" \
		<"$work/cases" >"$work/out" 2>&1 || status=$?
	[[ $status == 0 && ! -s $work/out ]] || { cat "$work/out"; fail "$shell"; }
	! find "$work" -name HERE | grep . || fail "$shell: a name was run"
	echo "$shell: $(wc -l <"$work/cases") lines"
done
[[ ! -e $work/called ]] || { cat "$work/called"; fail "the completion runs a command"; }

# --- nfsrdma names --------------------------------------------------------------------------------

run names --help
for list in $(sed -n '/Lists:/,/It reads/p' "$work/out" | tr -d '\n' | sed 's/.*Lists: //; s/\. It.*//; s/,/ /g; s/ and / /'); do
	run names "$list" --root "$host"
	expect_status 0
	[[ ! -s $work/err ]] || { show; fail "not quiet"; }
done
run names pools --root "$work/nowhere"
expect_status 0
[[ ! -s $work/out && ! -s $work/err ]] || { show; fail "not quiet"; }
run names
expect_status 2
run names nowhere
expect_status 2
wait $stuck || fail "names waits for ever, or fails"
