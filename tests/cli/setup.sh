#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma setup on machines that are folders: that it writes only files of its own, what is in them, that a second time there is nothing
# to do, and that --undo leaves not a byte behind; also where somebody edited a file meanwhile,
# and where it may not write. Where it is killed at any of its steps is cut-off.sh's.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

requires python3 depmod jq

# machine NAME OF: a machine of tests/hosts that lacks what a server needs.
machine()
{
	mkdir -p "$work/made" "$work/source/$1"
	{
		echo "@include $2"
		cat <<-'END'
		@include siw
		@include rdma-loaded
		@dir var/lib
		@remove sys/module/rpcrdma
		@remove etc/systemd/system/nfsrdma-link-eth0.service
		@remove etc/systemd/system/multi-user.target.wants/nfsrdma-link-eth0.service
		usr/sbin/rpc.nfsd: x
		etc/rdma/modules/rdma.conf <<LIST
		ib_uverbs
		# NFS over RDMA server support
		# svcrdma
		LIST
		END
	} >"$work/source/$1/host"
	python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$work/source/$1" ||
		fail "make-host"
	root=$work/made/$1
}

# All of a folder's state except times.
picture()
{
	(cd "$1" && find . -printf '%P %y %m %U %G %l\n' | sort &&
		find . -type f -print0 | sort -z | xargs -0 sha256sum)
}

same_as_before() { picture "$root" | diff -u "$work/before" - || fail "$1"; }

no_line() { ! grep -qF -- "$1" "$work/out" || { show; fail "it says \"$1\""; }; }
expect_line() { grep -qF -- "$1" "$work/out" || { show; fail "it does not say \"$1\""; }; }

# --- apply and undo -----------------------------------------------------------------------

machine server debian12
picture "$root" >"$work/before"

run setup server --root "$root" --dry-run
expect_status 0
expect_line '+++ /etc/nfs.conf.d/nfsrdma.conf'
expect_line 'Nothing was changed'
same_as_before "a dry run changed something"
cp "$work/out" "$work/plan"

run setup server --root "$root"
expect_status 0
expect_line 'done  /etc/nfs.conf.d/nfsrdma.conf written'
expect_line 'done  /etc/modules-load.d/nfsrdma.conf written'
expect_line "Next: nfsrdma check --role server --root $root"
expect_line "Undo: nfsrdma setup --undo --root $root"
diff - <(sed 's/ (.*//' "$root/etc/nfs.conf.d/nfsrdma.conf") <<-'END' || fail "nfs.conf.d"
	# Written by nfsrdma setup; nfsrdma setup --undo removes it.
	[nfsd]
	rdma=y
	rdma-port=20049
END
[[ $(sed 1d "$root/etc/modules-load.d/nfsrdma.conf") == rpcrdma ]] || fail "modules-load.d"
[[ ! -e $root/var/lib/nfsrdma ]] || fail "a record is kept beside the files"
# Only files of its own: what was there is as it was.
picture "$root" >"$work/after"
grep -v -e nfs.conf.d -e modules-load.d/nfsrdma.conf "$work/after" | diff "$work/before" - || fail "another file was changed"

# The patch of the dry run has the same result.
if type -P patch >/dev/null; then
	cp -a "$root" "$work/patched"
	rm -r "$work/patched/etc/nfs.conf.d" "$work/patched/etc/modules-load.d/nfsrdma.conf"
	(cd "$work/patched" && patch -s -p1 <"$work/plan") || fail "patch does not take it"
	diff -r "$root/etc" "$work/patched/etc" || fail "the patch has another result"
fi

run setup server --root "$root"
expect_status 0
expect_line 'Nothing to do.'
no_line 'Undo:'
picture "$root" | diff -u "$work/after" - || fail "a second time changed something"

run check --role server --root "$root" --format json
expect_finding server.nfs-conf skip

run setup --undo --root "$root" --dry-run
expect_status 0
expect_line '-rdma-port=20049'
picture "$root" | diff -u "$work/after" - || fail "a dry undo changed something"

run setup --undo --root "$root"
expect_status 0
expect_line 'done  /etc/nfs.conf.d/nfsrdma.conf removed'
expect_line 'done  /etc/modules-load.d/nfsrdma.conf removed'
# The running system is another machine.
no_line 'systemctl'
same_as_before "undo left something"
run setup --undo --root "$root"
expect_status 0
expect_line 'Nothing to undo.'
same_as_before "a second undo"

# A custom port, changed later: the original is restored.
for port in 20050 20051; do
	run setup server --root "$root" --port "$port"
	expect_status 0
	grep -qx "rdma-port=$port" "$root/etc/nfs.conf.d/nfsrdma.conf" || fail "port $port"
done
run setup client --for-probe --root "$root"
expect_status 0
grep -qE '^\* - memlock [0-9]+$' "$root/etc/security/limits.d/nfsrdma.conf" || fail "memlock"
run setup --undo --root "$root"
expect_status 0
same_as_before "undo of several setups"

# --- JSON: the same, for programs; lib.sh compares it with its schema --------------------------

# expect_json FILTER: prints true.
expect_json() { expect_report "not so: $1" "$1"; }

run setup server --root "$root" --dry-run --format json
expect_status 0
expect_json '.role == "server" and .dry_run and (.undo | not) and (.unknown | not)'
expect_json '[.steps[] | [.kind, .status, .name]] == [["file", "planned", "/etc/modules-load.d/nfsrdma.conf written"],
	["file", "planned", "/etc/nfs.conf.d/nfsrdma.conf written"]]'
expect_json '[.steps[].reason | length > 0] == [true, true]'
jq -r '.steps[].show[]' "$work/out" | diff <(sed -n '/^Note/q; /^[-+@ ]/p' "$work/plan") - ||
	fail "the text of --dry-run has another difference"
same_as_before "a dry run with JSON changed something"
run setup server --root "$root" --format json
expect_status 0
expect_json '[.steps[].status] == ["done", "done"] and (.dry_run | not)'
picture "$root" | diff -u "$work/after" - || fail "with JSON it does something else"
for dry in '' --dry-run; do
	run setup server --root "$root" --format json $dry
	expect_status 0
	expect_json '.steps == []'
done
echo 'threads=16' >>"$root/etc/nfs.conf.d/nfsrdma.conf"
run setup --undo --root "$root" --format json
expect_status 1
expect_json '.undo and .role == null and ([.steps[].status] | sort) == ["refused", "skipped"]'
expect_json '[.steps[] | select(.status == "refused").show[]] == ["    rm /etc/nfs.conf.d/nfsrdma.conf"]'
sed -i '$d' "$root/etc/nfs.conf.d/nfsrdma.conf"
run setup --undo --root "$root" --format json --dry-run
expect_json '[.steps[].status] == ["planned", "planned"]'
run setup --undo --root "$root" --format json
expect_status 0
expect_json '[.steps[].name] == ["/etc/nfs.conf.d/nfsrdma.conf removed", "/etc/modules-load.d/nfsrdma.conf removed"]'
same_as_before "undo with JSON left something"
# --- a software link ------------------------------------------------------------------------

# Its unit and the symbolic link that enables it; below a root no link is made.
unit=etc/systemd/system/nfsrdma-link-eth0.service
wants=etc/systemd/system/multi-user.target.wants/nfsrdma-link-eth0.service
mkdir -p "$root/usr/lib/systemd" "$root/etc/systemd/system"
touch "$root/usr/sbin/rdma" "$root/usr/lib/systemd/systemd"
picture "$root" >"$work/before"
run setup client --software siw eth0 --root "$root" --dry-run
expect_status 0
expect_line "+++ /$unit"
expect_line 'systemctl enable nfsrdma-link-eth0.service'
no_line '    rdma link add'
same_as_before "a dry run of --software changed something"
run setup client --software siw eth0 --root "$root"
expect_status 0
expect_line "done  /$unit written"
expect_line 'done  nfsrdma-link-eth0.service enabled'
[[ $(readlink "$root/$wants") == "/$unit" ]] || fail "the unit is not enabled"
if type -P systemd-analyze >/dev/null; then
	systemd-analyze verify "$root/$unit" 2>&1 | grep -F nfsrdma-link && fail "systemd does not like the unit"
fi
run setup client --software siw eth0 --root "$root"
expect_line 'Nothing to do.'
run setup --undo --root "$root"
expect_status 0
expect_line 'done  nfsrdma-link-eth0.service disabled'
same_as_before "undo of --software left something"

# Another device has no address: the link that the plan adds makes one reachable, so that is not left to do.
mkdir -p "$work/source/no-address"
printf '%s\n' '@include server-debian12' '@include nfs-rdma PORT=20049' '.nfsrdma/addresses-ib0.json: []' \
	'@include netdev NETDEV=eth0 PCI=0000:05:00.0 MAC=52:54:00:12:34:56 INDEX=9 MTU=1500 TYPE=1' \
	'usr/lib/systemd/systemd:' 'usr/sbin/rdma:' >"$work/source/no-address/host"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$work/source/no-address" || fail "make-host"
run setup server --root "$work/made/no-address" --dry-run
expect_line 'nfsrdma explain server.address'
run setup server --software rxe eth0 --root "$work/made/no-address" --dry-run
expect_status 0
no_line 'nfsrdma explain server.address'

# expect_refusal STATUS SENTENCE ARGUMENT...
expect_refusal()
{
	run setup "${@:3}" --root "$root"
	expect_status "$1"
	expect_sentence "$2"
	same_as_before "a refused --software changed something"
}
expect_refusal 2 "no interface 'eth1' on this host; did you mean 'eth0'[?]$" client --software siw eth1
expect_refusal 2 "'eth0' already has the RDMA device siw0" client --software rxe eth0
expect_refusal 2 "takes rxe or siw, not 'roce'" client --software roce eth0
expect_refusal 2 '--software needs an interface: nfsrdma setup client --software siw INTERFACE' client --software siw
expect_refusal 2 "unexpected argument 'eth0'" client eth0
expect_refusal 2 'undo and --software' --undo --software siw
rm "$root/usr/sbin/rdma"
picture "$root" >"$work/before"
expect_refusal 1 'no command rdma on this host: install iproute2' client --software siw eth0
touch "$root/usr/sbin/rdma"
rm "$root/usr/lib/systemd/systemd"
picture "$root" >"$work/before"
expect_refusal 1 'no systemd on this host' client --software siw eth0

# --- files that were edited ------------------------------------------------------------------------

run setup server --root "$root"
echo 'threads=16' >>"$root/etc/nfs.conf.d/nfsrdma.conf"
picture "$root" >"$work/edited"
run setup server --root "$root" --port 20051
expect_status 0
expect_line 'changed since setup wrote it'
picture "$root" | diff -u "$work/edited" - || fail "an edited file was written"
for dry in '' --dry-run; do
	run setup --undo --root "$root" $dry
	expect_status 1
	expect_line '/etc/nfs.conf.d/nfsrdma.conf was edited since setup wrote it'
	expect_line 'rm /etc/nfs.conf.d/nfsrdma.conf'
	grep -q 'nothing was undone' "$work/err" || fail "it does not say that nothing was undone"
	picture "$root" | diff -u "$work/edited" - || fail "a refused undo changed something"
done
sed -i '$d' "$root/etc/nfs.conf.d/nfsrdma.conf"
run setup --undo --root "$root"
expect_status 0
same_as_before "undo after the edit was taken out"
# Without its first line the file is theirs.
run setup server --root "$root"
sed -i 1d "$root/etc/nfs.conf.d/nfsrdma.conf"
cp "$root/etc/nfs.conf.d/nfsrdma.conf" "$work/theirs"
run setup server --root "$root" --port 20051
expect_status 0
expect_line 'alone. Add to it:'
expect_line '        rdma-port=20051'
run setup server --root "$root" --port 20051 --format json
expect_json '[.notes[] | select(.lines != []) | .todo, .lines] == [true, ["[nfsd]", "rdma=y", "rdma-port=20051"]]'
run setup --undo --root "$root"
expect_status 0
cmp "$work/theirs" "$root/etc/nfs.conf.d/nfsrdma.conf" || fail "a file of others was undone"
rm -r "$root/etc/nfs.conf.d"
same_as_before "undo beside a file of others"

mkdir -p "$root/srv" "$work/outside"
ln -s /srv "$root/etc/nfs.conf.d"
picture "$root" >"$work/before"
run setup server --root "$root"
expect_status 0
[[ -f $root/srv/nfsrdma.conf ]] || fail "the folder's link was not followed"
run setup --undo --root "$root"
same_as_before "undo behind a link"
ln -sfn "$work/outside" "$root/etc/nfs.conf.d"
picture "$root" >"$work/before"
run setup server --root "$root"
[[ $status == 1 ]] || { show; fail "a link out of the machine"; }
[[ ! $(ls -A "$work/outside") ]] || fail "it wrote outside of the machine"
run setup --undo --root "$root"
run setup server --root "$root" --format json
expect_status 1
expect_json '[.steps[] | select(.status == "failed") | .error | length > 0] == [true]'
run setup --undo --root "$root"
expect_status 0
same_as_before "undo behind a link that leads out"
rm -r "$root/etc/nfs.conf.d" "$root/srv"

# --- what setup 0.2 changed -------------------------------------------------------------------

# It edited files of others, and kept a record, which it may have been killed at.
picture "$root" >"$work/before"
old_state()
{
	mkdir -m 700 "$root/var/lib/nfsrdma"
	mkdir -p "$root/etc/nfs.conf.d"
	printf '%s\n' '# Written by nfsrdma setup; nfsrdma setup --undo removes it.' '[nfsd]' rdma=y rdma-port=20049 \
		>"$root/etc/nfs.conf.d/nfsrdma.conf"
	jq -n --rawfile rdma "$root/etc/rdma/modules/rdma.conf" --rawfile nfs "$root/etc/nfs.conf.d/nfsrdma.conf" '
		{schema: "nfsrdma-setup/1", made: ["var/lib/nfsrdma"], changes: [
		{kind: "file", done: true, path: "etc/rdma/modules/rdma.conf", before: $rdma, was: null,
			after: ($rdma | sub("# svcrdma"; "svcrdma")), mode: 420, uid: 0, gid: 0, made: []},
		{kind: "file", done: false, path: "etc/nfs.conf.d/nfsrdma.conf", before: null, was: null, after: $nfs,
			mode: 0, uid: 0, gid: 0, made: ["etc/nfs.conf.d"]}]}' >"$work/setup.json"
	install -m 600 "$work/setup.json" "$root/var/lib/nfsrdma/setup.json"
	sed -i 's/^# svcrdma/svcrdma/' "$root/etc/rdma/modules/rdma.conf"
}
old_state
run setup --undo --root "$root"
expect_status 0
expect_line 'done  /etc/nfs.conf.d/nfsrdma.conf removed'
expect_line 'done  /etc/rdma/modules/rdma.conf put back'
same_as_before "undo of setup 0.2"

# Setup leaves those files alone, and says what to do first.
old_state
picture "$root" >"$work/after-old"
run setup server --root "$root" --port 20051
expect_line '(nfsrdma setup --undo), or add to it:'
run setup --undo --root "$root"
expect_status 0
same_as_before "undo of setup 0.2 and of this one"

# One was edited since: nothing is undone, and the difference is shown.
old_state
echo 'threads=16' >>"$root/etc/nfs.conf.d/nfsrdma.conf"
run setup --undo --root "$root"
expect_status 1
expect_line '+threads=16'
sed -i '$d' "$root/etc/nfs.conf.d/nfsrdma.conf"
picture "$root" | diff -u "$work/after-old" - || fail "a refused undo changed something"

# Ports are closed where firewalld runs, which is not the case below a root.
jq '.changes += [{kind: "port", done: true, zone: "public", port: 4791, protocol: "udp", permanent: true}]' \
	"$work/setup.json" >"$root/var/lib/nfsrdma/setup.json"
for dry in --dry-run ''; do
	run setup --undo --root "$root" $dry
	expect_status 0
	expect_line 'Left to you'
	expect_line 'Port 4791/udp'
done
[[ ! -e $root/etc/nfs.conf.d/nfsrdma.conf ]] || fail "files stay because of a port"
[[ -e $root/var/lib/nfsrdma/setup.json ]] || fail "the port was forgotten"
rm -r "$root/var/lib/nfsrdma"
same_as_before "undo with a port"

# A malformed record.
old_state
for size in 0 1 100; do
	head -c "$size" "$work/setup.json" >"$root/var/lib/nfsrdma/setup.json"
	run setup --undo --root "$root"
	expect_status 3
	expect_sentence 'setup.json: .*not in the form that setup writes'
	expect_sentence '/etc/nfs.conf.d/nfsrdma.conf, .*check them, then move setup.json away'
done
jq '.changes[0].path = "etc/passwd"' "$work/setup.json" >"$root/var/lib/nfsrdma/setup.json"
run setup --undo --root "$root"
expect_status 3
ln -sf "$work/setup.json" "$root/var/lib/nfsrdma/setup.json"
run setup --undo --root "$root"
expect_status 3
expect_sentence 'setup.json is a symbolic link'
rm "$root/var/lib/nfsrdma/setup.json"
install -m 600 "$work/setup.json" "$root/var/lib/nfsrdma/setup.json"
picture "$root" | diff -u "$work/after-old" - || fail "a bad record, and something changed"
run setup --undo --root "$root"
expect_status 0
same_as_before "undo after a bad record"

# The ports that this one opened are in a list.
mkdir "$root/var/lib/nfsrdma"
printf 'public 4791/udp permanent\n' >"$root/var/lib/nfsrdma/ports"
run setup --undo --root "$root"
expect_line 'Nothing to undo.'
rm -r "$root/var/lib/nfsrdma"

# --- machines that are known -----------------------------------------------------------------

# Findings of check are fixed, also if a file that is read later sets part of it.
plain=$root
for name in server-rdma-y-debian12 server-rdma-port-alone server-rdma-y-sles15; do
	python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$NFSRDMA_SOURCE/tests/hosts/$name" || fail "make-host"
	root=$work/made/$name
	run check --role server --root "$root" --format json
	expect_finding server.nfs-conf fail
	run setup server --root "$root"
	expect_status 0
	run check --role server --root "$root" --format json
	expect_finding server.nfs-conf pass
done

# nfs-utils before 2.5.3 reads no drop-ins: setup prints what to add to nfs.conf, which does it.
machine old debian12
printf 'Package: nfs-common\nStatus: install ok installed\nVersion: 1:2.5.2-1\n\n' >"$root/var/lib/dpkg/status"
printf '[nfsd]\nthreads=8\n' >"$root/etc/nfs.conf"
picture "$root" >"$work/before"
run setup server --root "$root"
expect_status 0
expect_line 'reads no drop-ins, and setup does not edit'
run setup --undo --root "$root"
same_as_before "nfs.conf was edited"
run setup server --root "$root" --format json
jq -r '.notes[].lines[]' "$work/out" >"$work/lines"
diff - "$work/lines" <<<$'[nfsd]\nrdma=y\nrdma-port=20049' || fail "the lines to add"
cat "$work/lines" >>"$root/etc/nfs.conf"
run setup server --root "$root"
expect_status 0
no_line 'nfs.conf'
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$NFSRDMA_SOURCE/tests/hosts/server-rdma-off-sles15" || fail "make-host"
run setup server --root "$work/made/server-rdma-off-sles15" --dry-run
expect_line 'rdma=20049'
no_line 'rdma=y'

echo "nfs-utils that does not read nfs.conf: setup and check say that it is not supported"
for name in server-nfs-conf-unread server-nfs-conf-unread-el7; do
	python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$NFSRDMA_SOURCE/tests/hosts/$name" || fail "make-host"
	root=$work/made/$name
	picture "$root" >"$work/before-unsupported"
	run check --role server --root "$root" --format json
	expect_finding server.nfs-conf fail
	run setup server --root "$root"
	expect_status 0
	expect_line 'Nothing was changed: the rest is left to you.'
	tr -s ' \n' ' ' <"$work/out" | grep -qF 'does not read nfs.conf, and is not supported: install nfs-utils 2.3 or later' ||
		{ show; fail "setup does not say that it is not supported"; }
	picture "$root" | diff -u "$work/before-unsupported" - || fail "setup wrote something"
done
mv "$plain" "$plain'\$HOME"
run setup server --root "$plain'\$HOME"
expect_line "--root $plain\\'\\\$HOME"
run setup --undo --root "$plain'\$HOME"
mv "$plain'\$HOME" "$plain"
root=$plain

# --- no permission ------------------------------------------------------------------------

picture "$root" >"$work/before"
if ((EUID == 0)) && unshare -m true 2>/dev/null; then
	# shellcheck disable=SC2016 # of the inner shell
	run_prefix=(unshare -m bash -c 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"' "$root")
	run setup server --root "$root"
	run_prefix=()
	expect_status 3
	expect_sentence 'Read-only file system; nothing was changed'
	same_as_before "a read-only file system"
fi
if ((EUID == 0)); then
	run_prefix=(setpriv --reuid=65534 --regid=65534 --clear-groups)
	NFSRDMA=$(reachable "$NFSRDMA")
fi
run setup client
expect_status 3
expect_sentence 'changing files needs root'
[[ ! -s $work/out ]] || fail "something on stdout"
if ((EUID == 0)); then
	run setup server --root "$root"
	expect_status 3
	expect_sentence 'Permission denied; nothing was changed'
	same_as_before "without privilege"
fi
run_prefix=()

# --- the command line ---------------------------------------------------------------------

for words in 'setup' 'setup bogus' 'setup client server' 'setup client --port 1' \
	'setup client --restart' 'setup --undo --port 1' 'setup --undo --for-probe' \
	'setup server --root /nonexistent' 'setup server --format nagios'; do
	# shellcheck disable=SC2086 # words
	run $words
	expect_status 2
	expect_sentence .
done

# --- a kernel without NFS over RDMA ---------------------------------------------------------------

# What check says of it, with its first step, and no software link, which would not help. The last one has a device.
sed '$ a @include siw' "$NFSRDMA_SOURCE/tests/hosts/server-no-rpcrdma/host" >"$work/with-siw"
mkdir -p "$work/source/with-siw"
mv "$work/with-siw" "$work/source/with-siw/host"
for source in "$NFSRDMA_SOURCE"/tests/hosts/{server-no-rpcrdma,rpcrdma-missing,no-modules-extra-ubuntu} "$work/source/with-siw"; do
	name=${source##*/}
	python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$source"
	root=$work/made/$name
	for role in client server; do
		run check --role "$role" --root "$root" --format json
		jq -r --arg id "$role.module" '.findings[] | select(.id == $id and .status == "fail") |
			.summary, "[\(.id)/\(.reason)]", .steps[0].text, .steps[0].command' "$work/out" >"$work/answer"
		[[ -s $work/answer ]] || fail "$name: check passes the module of a $role"
		run setup "$role" --dry-run --root "$root"
		expect_status 0
		tr -s ' \n' ' ' <"$work/out" >"$work/words"
		while IFS= read -r words; do
			grep -qF -- "$words" "$work/words" || { show; fail "$name: setup $role does not say \"$words\", as check does"; }
		done <"$work/answer"
		no_line software
	done
done
