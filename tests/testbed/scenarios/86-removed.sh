# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 the nfsrdma authors
#
# The device is removed while it is in use.
server plain
for device in rxe0/192.168.77.1 siw0/10.0.2.15; do
	before="($(until_reading); rdma link delete ${device%/*}) &"
	probe_inside "${device#*/}:/export/plain" --transport verbs --level full --format json
	guest_tell devices || fail "${device%/*} does not come back"
	[[ $status == 1 || $status == 3 ]] || fail "exit status $status: $(summary)"
	expect_report 'any(.findings[]; (.status == "fail" or .status == "unknown")
		and (.summary | test("RDMA_CM_EVENT_DEVICE_REMOVAL|device .*(gone|removed)")))' \
		"nothing says that the device is gone"
	expect_no_bug
done
