#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Limits of time and memory: --level quick under 2 s, and 64 MiB for all processes of a probe
# together, at every level and any file size (one of the embedded server's files is larger than 4
# GiB). The best of three runs, because of other load.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3

best=999999
for _ in 1 2 3; do
	probe --embedded --level quick
	expect_status 0
	((took >= best)) || best=$took
done
((best < 2000)) || fail "--level quick took $best ms"
echo "ok - quick takes $best ms"

# The peak of the sum over the process group, from /proc: worker and embedded server are
# processes of their own.
cat >"$work/peak.py" <<'END'
import glob, os, subprocess, sys, time

def resident(group):
    kib = 0
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            if int(fields[2]) != group:
                continue
            # A page shared by fork is divided among its users.
            with open(os.path.dirname(path) + "/smaps_rollup") as maps:
                kib += sum(int(l.split()[1]) for l in maps if l.startswith("Pss:"))
        except (OSError, IndexError):
            pass
    return kib

probe = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL, start_new_session=True)
peak = 0
while probe.poll() is None:
    peak = max(peak, resident(probe.pid))
    time.sleep(0.01)
print(peak)
sys.exit(probe.returncode)
END
for level in quick standard full; do
	peak=$(python3 "$work/peak.py" "$NFSRDMA" probe --embedded --level "$level") ||
		fail "--level $level: exit status $?"
	((peak > 0 && peak < 65536)) || fail "--level $level: peak $peak KiB"
	echo "ok - $level takes $peak KiB"
done
