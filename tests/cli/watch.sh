#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# nfsrdma watch without libvirt: mounts that come, change their transport and go, as files in the place
# of the kernel's say it; what the journal and the exports have of it; and how the
# watcher begins and ends. With libvirt: watch-libvirt.sh. Real mounts are the testbed's.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires_root
requires python3 unshare jq setpriv
if [[ ${1:-} != inside ]]; then
	unshare --mount --propagation private true 2>/dev/null || skip "no namespace of mounts"
	unshare --mount --propagation private bash "$0" inside
	exit 0
fi

mount -t tmpfs tmpfs /run
mkdir -p "$work/etc"
for name in alternatives group ld.so.cache ld.so.conf ld.so.conf.d localtime nsswitch.conf passwd; do
	[[ ! -e /etc/$name ]] || cp -a "/etc/$name" "$work/etc/"
done
mount --bind "$work/etc" /etc

take_journal

# --- a kernel --------------------------------------------------------------------------------------

id=100
: >"$work/mountinfo"
: >"$work/mountstats"
# mounted PROTO SOURCE TARGET
mounted()
{
	local numbers='0 0 1 0 5 1200 1200 0 1200 0'

	id=$((id + 1))
	[[ $1 != rdma* ]] || numbers+=' 10 400 3 1048576 1048000 0 0 0 0 0 0 0 0 30 0 0 12'
	printf 'device %s mounted on %s with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2,proto=%s\n\tage:\t100\n\txprt:\t%s %s\n' \
		"$2" "$3" "$1" "$1" "$numbers" >>"$work/mountstats"
	echo "$id 1 0:$id / $3 rw,relatime shared:$id - nfs4 $2 rw,vers=4.2,hard,proto=$1,timeo=600,sec=sys,addr=192.0.2.1" \
		>>"$work/mountinfo"
}
# unmounted TARGET
unmounted()
{
	awk -v t="$1" '$5 != t' "$work/mountinfo" >"$work/new"
	awk -v t="$1" '$1 == "device" { keep = $5 != t } keep' "$work/mountstats" >"$work/new2"
	cat "$work/new" >"$work/mountinfo"
	cat "$work/new2" >"$work/mountstats"
}
# kernel COMMAND...: with these mounts as its own
cat >"$work/kernel" <<END
#!/bin/bash
for name in mountinfo mountstats; do
	mount --bind "$work/\$name" "/proc/\$\$/\$name" || exit 125
done
exec "\$@"
END
chmod +x "$work/kernel"
kernel=$work/kernel

# --- a watcher -------------------------------------------------------------------------------------

# In the background.
watch()
{
	: >"$work/lines"
	"$kernel" "$NFSRDMA" watch --no-libvirt --verbose --interval 1 >"$work/lines" 2>"$work/watch.err" </dev/null &
	watcher=$!
	cleanup_fn end_watch
	wait_for -s /run/nfsrdma/watch.json
}
end_watch()
{
	[[ ${watcher:-} ]] || return 0
	kill -TERM "$watcher" 2>/dev/null || true
	ended=0
	wait "$watcher" || ended=$?
	watcher=
}
# wait_for TEST...
wait_for()
{
	try_until test "$@" && return
	cat "$work/lines" "$work/watch.err"
	fail "waited for test $* in vain"
}
# line WORDS: it comes
line()
{
	try_until grep -qE -- "$1" "$work/lines" && return
	cat "$work/lines" "$work/watch.err" "$work/journal"
	fail "no line says \"$1\""
}
lines() { grep -cE -- "$1" "$work/lines" || true; }
# request STATE SOURCE DIRECTORY: as mount.nfsrdma notes it; sets $request
request()
{
	request=/run/nfsrdma/requests/$(python3 - "$3" <<-'END'
		import sys
		value = 0xcbf29ce484222325
		for byte in sys.argv[1].encode():
		    value = (value ^ byte) * 0x100000001b3 % 2 ** 64
		print(f'{value:016x}')
	END
	)
	printf '%s 1\n%s\nrequire\n%s\n%s\n' "$1" "$(</proc/sys/kernel/random/boot_id)" "$2" "$3" >"$request"
}
# looks: how often it looked
looks() { awk '$1 == "nfsrdma_watch_checks_total" { print $2 }' /run/nfsrdma/metrics.prom; }
has_looked() { (($(looks) >= $1)); }
more_looks()
{
	local before

	before=$(looks)
	try_until has_looked $((before + $1)) || fail "it does not look any more"
}
metric() { grep -qxF "$1" "${2:-/run/nfsrdma/metrics.prom}" || { cat "${2:-/run/nfsrdma/metrics.prom}"; fail "no \"$1\""; }; }

printf '[server nas]\npolicy = require\n' >/etc/nfsrdma.conf
mounted rdma nas:/good /srv/good
mounted tcp nas:/tcp /srv/tcp
mounted tcp other:/plain /srv/plain
mounted rdma nas:/dom /rhev/data-center/mnt/nas:_dom

echo "what is there at the beginning"
watch
line 'NOT over RDMA: mount /srv/tcp \(nas:/tcp\): over tcp, but /etc/nfsrdma.conf:2 requires RDMA'
jq -e '.schema == "nfsrdma-report/1" and .command == "watch" and .verdict == "fail"
	and ([.findings[] | select(.id == "watch.mount") | "\(.evidence.kind) \(.evidence.state)"] | sort)
		== ["domain good", "mount good", "mount lost"]' /run/nfsrdma/watch.json >/dev/null ||
	{ cat /run/nfsrdma/watch.json; fail "watch.json"; }
metric 'nfsrdma_watch_objects{kind="mount",state="lost"} 1'
metric 'nfsrdma_watch_lost_total{kind="mount"} 1'
metric 'nfsrdma_watch_up 1'
in_journal MESSAGE_ID=4472ebadc44c491f93fddac77784dd1f
for field in NFSRDMA_EVENT=lost PRIORITY=3 SYSLOG_IDENTIFIER=nfsrdma-watch NFSRDMA_KIND=mount NFSRDMA_TARGET=/srv/tcp \
	NFSRDMA_SPEC=nas:/tcp NFSRDMA_EFFECTIVE=tcp NFSRDMA_WANTED_BY=/etc/nfsrdma.conf:2 NFSRDMA_FINDING=watch.mount \
	NFSRDMA_REASON=not-rdma 'NFSRDMA_CAUSE=/srv/tcp is over tcp, but /etc/nfsrdma.conf:2 requests RDMA.'; do
	in_journal "$field"
done

echo "it is told once"
more_looks 3
(($(lines 'NOT over RDMA') == 1)) || { cat "$work/lines"; fail "told more than once"; }

echo "READs that the kernel loses are told once"
mounted rdma other:/lost /srv/lost
printf '\tevents:\t5 63 0 0 4 6 21 0 4 2 0 0 1 0 4 0 0 4 0 0 0 0 83 0 0 0 0 \n\tbytes:\t1600 0 0 0 1600 0 84 0 \n\t READ: 85 85 0 13600 343848 11 391 410\n' \
	>>"$work/mountstats"
line "this host's kernel cannot read more than 812 bytes over NFS/RDMA: mount /srv/lost \(other:/lost\); what to do: nfsrdma explain bug.read-812"
sed 's/READ: 85 85 0 13600 343848/READ: 86 86 0 13760 348072/' "$work/mountstats" >"$work/new"
cat "$work/new" >"$work/mountstats"
more_looks 2
(($(lines 'cannot read more than 812') == 1)) || { cat "$work/lines"; fail "told more than once"; }
jq -e '[.findings[] | select(.id == "bug.read-812") | "\(.status) \(.evidence.target) \(.evidence.reads)"] == ["fail /srv/lost 86"]' \
	/run/nfsrdma/watch.json >/dev/null || { cat /run/nfsrdma/watch.json; fail "READs that are lost are no finding"; }
metric 'nfsrdma_watch_reads_lost 1'
unmounted /srv/lost
more_looks 2
metric 'nfsrdma_watch_reads_lost 0'

echo "a mount, and a storage domain, that lose RDMA and have it again"
unmounted /srv/good
line 'nas:/good on /srv/good: unmounted'
mounted tcp nas:/good /srv/good
line 'NOT over RDMA: mount /srv/good '
unmounted /srv/good
mounted rdma nas:/good /srv/good
line 'over RDMA again: mount /srv/good \(nas:/good\): over rdma'
in_journal NFSRDMA_EVENT=back
unmounted /rhev/data-center/mnt/nas:_dom
mounted tcp nas:/dom /rhev/data-center/mnt/nas:_dom
line 'NOT over RDMA: storage domain /rhev/data-center/mnt/nas:_dom '
in_journal NFSRDMA_KIND=domain

echo "what nobody wants over RDMA, and was"
mounted rdma other:/past /srv/past
more_looks 2
unmounted /srv/past
mounted tcp other:/past /srv/past
line 'NOT over RDMA: mount /srv/past \(other:/past\): over tcp, but it was over RDMA before'

echo "what mount.nfsrdma requested: a helper that was killed, an unmount that nobody saw"
request pending nas:/good /srv/good
is_mounted() { [[ $(head -c 8 "$request") == 'mounted ' ]]; }
try_until is_mounted || { cat "$request"; fail "a mount that is there stays pending"; }
request mounted nas:/left /srv/left
is_tidied() { [[ ! -e $request ]]; }
try_until is_tidied || fail "the request of a mount that is gone is still there"
request pending nas:/left /srv/left
more_looks 2
[[ -e $request ]] || fail "the request of a killed helper is gone, and nothing is mounted"
rm "$request"

echo "the policy is broken, and mended"
echo 'polizei = require' >>/etc/nfsrdma.conf
kill -HUP "$watcher"
line '/etc/nfsrdma.conf:3: '
more_looks 2
jq -e '[.findings[] | select(.id == "watch.policy") | .status] == ["fail"]' /run/nfsrdma/watch.json >/dev/null ||
	fail "a broken policy is no finding"
(($(lines 'conf:3') == 1)) || fail "told more than once"
metric 'nfsrdma_watch_objects{kind="domain",state="lost"} 1'
printf '[server nas]\npolicy = prefer\n' >/etc/nfsrdma.conf
kill -HUP "$watcher"
more_looks 2
jq -e '[.findings[] | select(.id == "watch.mount" and .evidence.target == "/srv/tcp") | .status] == ["warn"]' \
	/run/nfsrdma/watch.json >/dev/null || fail "prefer is no warning"
printf '[server nas]\npolicy = off\n' >/etc/nfsrdma.conf
more_looks 2
metric 'nfsrdma_watch_objects{kind="domain",state="lost"} 1'
metric 'nfsrdma_watch_objects{kind="mount",state="lost"} 1'
printf '[server nas]\npolicy = require\n' >/etc/nfsrdma.conf

echo "somebody cleans /run"
rm -rf /run/nfsrdma
more_looks 1 2>/dev/null || wait_for -s /run/nfsrdma/metrics.prom
# Its lock was there, too.
run_prefix=("$kernel")
run watch --no-libvirt --once
expect_status 3
expect_sentence "another watcher is running, process $watcher"
run_prefix=()

echo "a second one, and others who may not"
mkdir -p /run/nfsrdma
end_watch
watch
run_prefix=("$kernel")
run watch --no-libvirt --once
expect_status 3
expect_sentence "another watcher is running, process $watcher"
chmod 755 "$work"
run_prefix=(setpriv --reuid 65534 --regid 65534 --clear-groups)
built=$NFSRDMA
NFSRDMA=$(reachable "$built")
run watch --no-libvirt
expect_status 3
expect_sentence 'root is needed'
NFSRDMA=$built
run_prefix=("$kernel")

echo "the end"
start=$(now_ms)
end_watch
took=$(since_ms "$start")
((ended == 0)) || fail "exit status $ended"
within 1000 "the end"
[[ ! -e /run/nfsrdma/watch.json ]] || fail "watch.json is still there"
metric 'nfsrdma_watch_up 0'
[[ ! -s $work/watch.err ]] || { cat "$work/watch.err"; fail "something on stderr"; }

echo "once"
: >/run/nfsrdma/metrics.prom
run watch --no-libvirt --once --textfile "$work/nfsrdma.prom" --format json
[[ ! -e /run/nfsrdma/metrics.prom ]] || fail "metrics of one who was killed stay"
expect_status 1
expect_finding watch.libvirt skip
expect_finding watch.request pass
expect_report "things" '[.findings[] | select(.id == "watch.mount" and .status == "fail")] | length == 2'
metric 'nfsrdma_watch_up 0' "$work/nfsrdma.prom"
grep -q '^nfsrdma_mount_rdma{command="watch",.*mountpoint="/srv/tcp"} 0$' "$work/nfsrdma.prom" || fail "no metric of a mount"
! grep '^# [^HT]' "$work/nfsrdma.prom" || fail "a comment of OpenMetrics in a textfile"
! type -P promtool >/dev/null || promtool check metrics <"$work/nfsrdma.prom" || fail "promtool"
run watch --no-libvirt --once
expect_status 1
grep -q 'lost .* tcp .* mount /srv/tcp (nas:/tcp)' "$work/out" || { show; fail "the table"; }
(($(wc -L <"$work/out") <= 110)) || { show; fail "lines too long"; }
for target in /srv/tcp /srv/past /rhev/data-center/mnt/nas:_dom; do unmounted "$target"; done
run watch --no-libvirt --once
expect_status 0
run watch --no-libvirt --once --textfile /nowhere/x.prom
expect_status 3
expect_sentence '/nowhere'
run watch --interval 31
expect_status 2
run watch operand
expect_status 2

echo "the kernel's own list: what is mounted is looked at when it comes"
rm -r /run/nfsrdma
"$NFSRDMA" watch --no-libvirt --verbose >"$work/lines" 2>"$work/watch.err" </dev/null &
watcher=$!
wait_for -s /run/nfsrdma/metrics.prom
before=$(looks)
mkdir "$work/mnt"
mount -t tmpfs tmpfs "$work/mnt"
try_until has_looked $((before + 1)) || fail "a mount does not wake it"
umount "$work/mnt"
kill -INT "$watcher"
wait "$watcher" || fail "exit status $?"
watcher=
