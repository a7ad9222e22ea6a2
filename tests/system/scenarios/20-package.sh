# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# The packages install and work.
installed
version=$(inside "dpkg-query -W -f '\${Version}' nfsrdma")
expect_output "nfsrdma $version" nfsrdma --version
inside "dpkg --verify $packages"
for page in man8/nfsrdma.8 man8/mount.nfsrdma.8 man5/nfsrdma.conf.5 man7/nfsrdma-libvirt.7 man7/nfsrdma-ovirt.7; do
	inside "zgrep -m 1 '^.SH' /usr/share/man/$page.gz"
done

# As client and as server, with a warning at most.
inside nfsrdma check nas1:/srv/nfs
inside nfsrdma check --role server

# The export has one small file, with which nothing is proven, and step 1 helps.
says 'UNKNOWN.*no file is large enough.* 1\. .*head -c 1048576 /dev/urandom >nfsrdma-test' nfsrdma probe nas1:/srv/nfs --level quick
inside 'cd /srv/nfs && head -c 1048576 /dev/urandom >nfsrdma-test'
inside nfsrdma probe nas1:/srv/nfs --level quick
inside rm /srv/nfs/nfsrdma-test

expect_output active systemctl is-active nfsrdma-watch
expect_running
