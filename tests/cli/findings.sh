#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# shellcheck disable=SC2016 # backticks are none of the shell's
#
# What findings mean is text, of which a build makes its table. A mistake in it ends with the file, the
# line and what is wrong; what is right comes out as it was written.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires python3

make_table=$NFSRDMA_SOURCE/plugin/report/findings/make-table
good='Text: shared
Body: Look again.

Group: Things

# A comment.
Finding: a.thing
Title: A thing
Consequence: hang possible
Decisive: yes
What: What is
 looked at.
Cause: It says "no" \ or nothing.
Remedy: Mend it.
Unknown: @shared
Follows: a.root/dry
See: RFC 1, thing(5)

Reason: absent
Cause: {thing} is not there.
Linux-cause: Linux has none.
Step: Look: `ls {thing}`
Step: [debian ubuntu] Install it: `apt-get install thing`
Step: [suse wicked networkd] Reload it: `ifreload thing`
Step: [linux-server] Ask it.
Step: @shared
Step: Ask the owner.

Reason: by-itself
Consequence: none
Cause: It broke.
Step: Ask the owner.
Follows: nothing

Finding: a.root
Title: A root
Consequence: data
What: What is below it.
Cause: It is rotten.
Remedy: Plant another.

Reason: dry
Cause: It had no water.
Step: Water it.

Common: forbidden
Cause: Only root may.
Step: Be root.'

# table TEXT: the output of make-table for it.
table()
{
	printf '%s\n' "$1" >"$work/a.findings"
	status=0
	"$make_table" "$work/a.findings" >"$work/out" 2>"$work/err" || status=$?
}

# refused WORDS FROM TO: with FROM replaced by TO it is refused with these words.
refused()
{
	[[ $good == *"$2"* ]] || fail "the text has no '$2'"
	table "${good/"$2"/"$3"}"
	[[ $status == 1 ]] || { show; fail "exit status $status with '$3' in place of '$2'"; }
	grep -qE "a\.findings:[0-9]+: .*$1" "$work/err" || { show; fail "it does not say \"$1\""; }
}

table "$good"
expect_status 0
for line in '.group = "Things",' '.id = "a.thing",' '.title = "A thing",' '.what = "What is looked at.",' \
	'.cause = "It says \"no\" \\ or nothing.",' '.unknown = "Look again.",' '.see = { "RFC 1", "thing(5)" },' \
	'.decisive = true' '.consequence = CONSEQUENCE_HANG,' '"Linux has none.", NULL,' 'CONSEQUENCE_HANG, true },' \
	'CONSEQUENCE_NONE, false },' 'CONSEQUENCE_DATA, false },' '{ "absent", "{thing} is not there.",' '{ 0, "Look", "ls {thing}", STEP_READS },' \
	'{ SYSTEM_DEBIAN | SYSTEM_UBUNTU, "Install it", "apt-get install thing", STEP_CHANGES },' \
	'{ SYSTEM_SUSE | SYSTEM_WICKED | SYSTEM_NETWORKD, "Reload it", "ifreload thing", STEP_CHANGES },' '{ 0, "Ask the owner.", NULL, STEP_READS },' \
	'{ SYSTEM_LINUX_SERVER, "Ask it.", NULL, STEP_READS },' '{ 0, "Look again.", NULL, STEP_READS },' \
	'{ "forbidden", "Only root may.",' 'meaning_common = reasons_common;'; do
	grep -qF -- "$line" "$work/out" || { show; fail "no line $line"; }
done

# A finding can have the reasons of another one after its own.
other=$'\n\nFinding: a.thong\nTitle: A thong\nConsequence: slow\nWhat: What.\nCause: Why.\nRemedy: Do.\nReasons: a.thing\n\nReason: worn\nCause: It is.\nStep: Buy.'
table "$good$other"
expect_status 0
[[ $(grep -c '{ "absent", "{thing} is not there.",' "$work/out") == 2 ]] || { show; fail "reasons are not shared"; }
table "$good${other/a.thing/a.think}"
expect_status 1
grep -q 'no other Finding a.think' "$work/err" || { show; fail "reasons of what there is not"; }

refused 'has no field Titel'          'Title:' 'Titel:'
refused 'more than 26 characters'     'A thing' 'A thing of which there is much to say'
refused 'Decisive is yes'             'Decisive: yes' 'Decisive: no'
refused 'is no id'                    'a.thing' 'thing'
refused 'has no Remedy'               'Remedy: Mend it.' '# none'
refused 'stands there twice'          'Remedy: Mend it.' 'Cause: Again.'
refused 'no Text shard'               'Unknown: @shared' 'Unknown: @shard'
refused 'no Text shard'               'Step: @shared' 'Step: @shard'
refused 'more than 5 in See'          'RFC 1' 'a, b, c, d, e'
refused 'no word for a reason'        'absent' 'Absent'
refused 'Reason absent has no Cause'  'Cause: {thing} is not there.' '# none'
refused 'forbidden has no Step'        'Step: Be root.' '# none'
refused "'plan9' is no system"        'debian ubuntu' 'plan9'
refused 'is no step'                  'Step: Look: `ls {thing}`' 'Step: `ls`'
refused 'has no Consequence'          'Consequence: data' '# none'
refused 'Consequence is one of'       'Consequence: data' 'Consequence: bad'
refused 'Consequence is one of'       'hang possible' 'hang perhaps'
# Steps that harm, or cannot work.
look='Step: Look: `ls {thing}`'
refused "'See' refers to documents"   "$look" 'Step: See it: `ls {thing}`'
refused 'IPv6 addresses'              "$look" 'Step: Renew it: `ip link set {thing} down; ip link set {thing} up`'
refused 'exclude each other'          "$look" 'Step: Look: `journalctl -u {thing} -k`'
refused 'exclude each other'          "$look" 'Step: Look: `journalctl -k -b -u {thing}`'
refused 'copies of a virtual machine' "$look" 'Step: Name it: `cat /etc/machine-id`'
# The effect of a step.
refused 'refused without !interrupts' "$look" 'Step: Unmount it: `umount {thing}`'
refused 'refused without !restarts'   "$look" 'Step: [debian] !interrupts Restart it: `systemctl restart nfs-server`'
refused 'refused without !reboots'    "$look" 'Step: Boot it: `systemctl reboot`'
refused 'refused without !restarts or' "$look" 'Step: Update the kernel, then restart.'
refused 'refused without !stops'      "$look" 'Step: Shut it down: `virsh shutdown {thing}`'
refused "'!explodes' is no effect"    "$look" 'Step: !explodes Light it.'
table "${good/"$look"/'Step: !interrupts Unmount it: `umount {thing}`'}"
expect_status 0
grep -q '"Unmount it", "umount {thing}", STEP_INTERRUPTS' "$work/out" || { show; fail "no effect"; }
# A command reads only if each of its parts does, and it writes no file.
while IFS='|' read -r effect command; do
	table "${good/"$look"/"Step: Do it: \`${command//'^'/|}\`"}"
	expect_status 0
	grep -qF "STEP_$effect }," <(grep '"Do it"' "$work/out") || { show; fail "not $effect: $command"; }
done <<-'END'
	READS|dmesg ^ grep -E 'a^b'
	READS|df -h /run; findmnt -n
	READS|grep x /proc/y 2>/dev/null
	READS|nfsrdma setup server --dry-run
	CHANGES|dmesg ^ tee log
	CHANGES|dmesg >log
	CHANGES|ls && rm x
	CHANGES|ip link set {thing} up
	CHANGES|exportfs -ra
	CHANGES|iptables-save -f {thing}
	CHANGES|nfsrdma setup server
	CHANGES|sysctl -w a.b=1
END

# Words that no text has.
refused "'at port' is refused"        'It broke.' 'It broke at port 5.'
refused "'makes no sense' is refused" 'Look again.' 'It makes no sense.'
refused 'the thing, or the user'      'Ask it.' 'Ask somebody.'
refused 'no a.root/wet'               'Follows: a.root/dry' 'Follows: a.root/wet'
refused 'no a.route'                  'Follows: nothing' 'Follows: a.route'
refused 'a.thing follows from itself' 'Follows: nothing' 'Follows: a.thing'
refused 'a.thing follows from itself' 'Step: Water it.' $'Step: Water it.\nFollows: a.thing/absent'
refused 'key behind a capital'        '{thing} is not there' 'ATTR{thing} is not there'
refused 'begins with'                 'Group: Things' 'Heading: Things'
refused 'continues nothing'           '# A comment.' ' a line'
refused 'neither'                     'Remedy: Mend it.' 'mend it'
refused 'no Group'                    'Group: Things' ''
table "$good"$'\n\n'"${good#*Things$'\n\n'}"
expect_status 1
grep -q 'a.thing stands there twice' "$work/err" || { show; fail "an id twice"; }

# The manual page includes them at its placeholder line.
printf '%s\n' 'before' '; findings' 'after' >"$work/page.scd"
printf '%s\n' "$good" >"$work/a.findings"
"$make_table" --manual "$work/page.scd" "$work/a.findings" >"$work/out" || fail "no page"
printf '%s\n' 'before' '*a.thing* (decisive)' $'\tA thing: absent, by-itself.\n' '*a.root*' \
	$'\tA root: dry.' 'after' | diff -u - "$work/out" || fail "not that page"
echo 'before' >"$work/page.scd"
! "$make_table" --manual "$work/page.scd" "$work/a.findings" >"$work/out" 2>"$work/err" || fail "a page without its line"
grep -q "no line '; findings'" "$work/err" || { show; fail "a page without its line"; }

# Nor have the manuals, and the strings of the programs.
cd "$NFSRDMA_SOURCE"
find plugin rpcrdma mount-helper hooks packaging \( -name '*.scd' -o -name '*.[ch]' -o -name '*.messages' -o -name '*.events' \) \
	-exec "$make_table" --words {} + >"$work/out" 2>&1 || { show; fail "words that no text has"; }
printf '%s\n' '/* at port */' 'say("it listens at port %u");' >"$work/a.c"
! "$make_table" --words "$work/a.c" 2>"$work/err" || fail "no word is refused"
grep -q "a.c:2: 'at port' is refused" "$work/err" || { show; fail "not that word"; }
