# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The other way round: a kernel client reads from our embedded server.
server plain
serve
mount_serve
guest_tell 120 check >"$work/check" || { cat "$work/check"; fail "$(head -n1 "$work/check")"; }
cat "$work/check"
# "checked 2010 files, 10 links, ...": the big directory and the links were there.
read -r _ files _ links _ < <(tail -n1 "$work/check")
((files >= 2000 && links >= 1)) || fail "$(tail -n1 "$work/check")"
guest_tell 30 umount
