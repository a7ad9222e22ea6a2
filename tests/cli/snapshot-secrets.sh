#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# 60 secrets in the files that a snapshot is made of, on a machine that has all of them: none is in the
# snapshot. And what the checks of that machine find is what those of its snapshot find.
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 tar

root=$work/server-grace-usual
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work" "$NFSRDMA_SOURCE/tests/hosts/server-grace-usual"
for name in usr/sbin/libvirtd usr/bin/ganesha.nfsd usr/bin/pveversion usr/bin/vdsm-tool usr/sbin/opensm; do
	mkdir -p "$root/${name%/*}"
	touch "$root/$name"
done

# Its arguments are in a file.
mkdir -p "$root/etc/systemd/system/nfs-server.service.d"
# shellcheck disable=SC2016 # the unit's variable
printf '[Service]\nExecStart=\nExecStart=/usr/sbin/rpc.nfsd $RPCNFSDARGS\n' >"$root/etc/systemd/system/nfs-server.service.d/arguments.conf"

# plant: each secret has a number of its own, hunter01pw, hunter02pw...
plant()
{
	python3 - "$root" "$work/planted" <<'END'
import os
import sys
files = {
    "etc/ganesha/ganesha.conf": "# @\nNFS_CORE_PARAM { Protocols = 4, NFSRDMA; @ = 1; Bind = @; }\n"
        "RGW { Access_Key_Id = \"@\"; Secret_Access_Key = \"@\"; }\n%include \"s3.conf\"\n%include \"/srv/s3\"\n",
    "etc/ganesha/s3.conf": "EXPORT { FSAL { Name = RGW; Secret_Access_Key = @; } }\n",
    "srv/s3": "RGW { Secret_Access_Key = @; }\n",
    "etc/libvirt/storage/vm.xml": "<!-- @ --><pool type='netfs' "
        "xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'><name>vm</name><source>"
        "<host name='nas1'/><dir path='/a'/><auth type='chap' username='@'><secret uuid='@'/></auth>"
        "</source><target><path>/vm</path></target><fs:mount_opts><fs:option name='proto=rdma'/>"
        "<fs:option name='password=@'/></fs:mount_opts><x>@</x></pool>\n",
    "etc/libvirt/storage/bad.xml": "<pool><name>bad</name>@\n",
    "etc/modprobe.d/cifs.conf": "# @\noptions cifs password=@\ninstall x /bin/sh -c 'y --token @'\nsoftdep @ pre: @\n",
    "etc/udev/rules.d/90-x.rules": "# @\nACTION==\"add\", KERNEL==\"ib*\", RUN+=\"/x --token @\"\n"
        "ATTR{address}==\"00:11@\", NAME=\"@\", ENV{X}=\"@\"\n",
    "etc/vdsm/vdsm.conf": "# @\n[irs]\nrepository = /rhev\nkey = @\n[vars]\nrepository: @\nssl_password = @\n",
    "etc/nfs.conf": "# @\n[nfsd]\nrdma=y # @\ntoken = @\nx = \"@\"\n[@]\ny=@\n[environment]\nPW=@\n[tls]\n@\n",
    "etc/nfsmount.conf": "[ NFSMount_Global_Options ]\npassword=@\nretrans=@\n[ Server \"nas9\" ]\ncred=@\n",
    "etc/sysconfig/nfs": "RPCNFSDARGS=\"--rdma=20049 --token @\"\nGSSD_PW=@\nRPCNFSDCOUNT=\"@\"\n",
    "etc/nfsrdma.conf": "# @\n[default]\noptions = timeo=600,password=@\n",
    "etc/fstab": "# @\n//srv/x /mnt cifs password=@ 0 0\nnas2:/a /a nfs noauto,password=@,x-t.@ 0 0 # @\n",
    "etc/pve/storage.cfg": "nfs: vm\n\tserver nas1\n\texport /a\n\tpath /b\n\tpassword @\n\toptions vers=3,pw=@\ncifs: c\n\tpassword @\n",
    "etc/ufw/ufw.conf": "ENABLED=no\nPW=@\n",
    "etc/rdma/opensm.conf": "m_key @\nsm_priority 3\n",
    "etc/exports": "/srv *(rw,secret=@) # @\n",
    "etc/security/limits.d/a.conf": "# @\n@ - nofile 1\n",
    "etc/network/interfaces": "iface a inet static\n wpa-psk @\n",
    "etc/netplan/a.yaml": "network:\n ethernets:\n  a: {}\n wifis:\n  @:\n   password: @\n",
}
n = 0
with open(sys.argv[2], "w") as planted:
    for name, text in files.items():
        while "@" in text:
            n += 1
            text = text.replace("@", f"hunter{n:02}pw", 1)
        path = os.path.join(sys.argv[1], name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        print(name, file=planted)
print(n)
END
}

# taken NAME: a snapshot, unpacked, with no secret in it.
taken()
{
	mkdir "$work/$1"
	"$NFSRDMA" snapshot --timeout "$patience" --role both --root "$root" - </dev/null |
		tar xzf - -C "$work/$1" --strip-components=1
	! grep -r 'hunter[0-9]*pw' "$work/$1" || fail "$1: there are secrets in it"
}

findings() { jq -c '.findings[] | [.id, .status, .summary, .evidence]' "$work/out" | sed "s,$1/,,g"; }

count=$(plant)
((count >= 60)) || fail "only $count secrets"
taken all
# A file of which only the name was asked for has a sentence in its place.
unread=$(while read -r name; do
	[[ $name == */bad.xml || -f $work/all/$name && ! $(<"$work/all/$name") == 'nfsrdma snapshot: '* ]] || echo "$name"
done <"$work/planted")
[[ ! $unread ]] || fail "not read, so their secrets show nothing: $unread"
# Of what cannot be parsed nothing is kept, and the finding names another reason.
rm "$root/etc/libvirt/storage/bad.xml"
taken same
run check --timeout "$patience" --role both --format json --root "$root"
findings "$root" >"$work/machine"
run check --timeout "$patience" --role both --format json --root "$work/same"
findings "$work/same" >"$work/snapshot"
diff -u "$work/machine" "$work/snapshot" || fail "the machine and its snapshot differ"
echo "$count secrets in $(wc -l <"$work/planted") files, and none in the snapshot"
