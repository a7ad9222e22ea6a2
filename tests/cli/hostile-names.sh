#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# Pools, directories, exports, interfaces and files with names that a shell, an option parser or a
# terminal would obey. Every command that the program prints for them is cut out of its output and run
# with stubs in place of all programs: the name has to arrive as one argument, none may be taken for an
# option, and "marker", which the names call, must not run. Whoever prints a new command with a name in
# it adds a row here.
# shellcheck disable=SC2016,SC2088,SC1003 # names
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
requires jq python3 depmod
hook=${NFSRDMA%/*}/hooks/libvirt/nfsrdma-libvirt-hook

names=('a b' "it's" 'x;marker;' '$(marker)' '`marker`' 'a"b' '-rf' 'Müller' 'a|marker' 'a&marker&' '>marker'
	'*' '~' '#x' '\' '{a,marker}' 'a\ b' "a'\$(marker)'" '!x')
# Pools and interfaces have no control characters.
paths=('a b' "it's" 'x;marker;' '-rf' '\' $'a\nmarker\n' $'\e[2Jx' $'a\xffb')

# stubs: each records its arguments, with a NUL after every word.
mkdir "$work/bin" "$work/empty"
for program in virsh umount mount nfsrdma ls firewall-cmd ufw nft iptables tar ip marker; do
	printf '#!/bin/sh\nprintf "%%s\\0" "${0##*/}" "$@" >>"%s"; echo >>"%s"\n' "$work/calls" "$work/calls" >"$work/bin/$program"
	chmod +x "$work/bin/$program"
done

# carried.py WORK WORD PROGRAM...
cat >"$work/carried.py" <<'PY'
import os, re, subprocess, sys
work, word, *programs = sys.argv[1:]
word = os.fsencode(word)
text = b"".join(open(f"{work}/{name}", "rb").read() for name in ("out", "err"))
text = text.replace(b" /usr/bin/mount ", b" mount ")
if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", text):
    sys.exit("control characters")
# A name's own characters are escaped by a backslash, or octal: the sentence continues at the
# first unescaped one.
character = rb"\$'(?:\\[0-7]{3})+'|\\.|''(?=[\s;,.)]|$)|,(?! )|[.:](?=\S)|[^\\'\"();\s,.:`&|<>$]"
verb = (rb"(?<![\w/.-])(?:virsh|umount|mount -t|mount(?= [/\\])|nfsrdma|ls|firewall-cmd|ufw allow|nft|iptables"
        rb"|ip link)")
commands = [found.group() for found in re.finditer(verb + rb"(?: (?:" + character + rb")+)+", text)]
# And as copied by a user who takes the whole line.
tails = [line[found.start():] for line in text.splitlines() for found in re.finditer(verb, line)]

def run(scripts):
    open(work + "/calls", "w").close()
    subprocess.run(["/bin/bash", "-c", 'for script; do (eval "$script"); done', "-", *scripts], cwd=work + "/empty",
                   env={"PATH": work + "/bin"}, stdin=subprocess.DEVNULL, capture_output=True)
    lines = open(work + "/calls", "rb").read().split(b"\0\n")
    return [line.split(b"\0") for line in lines if line]

called = run(commands)
if any(call[0] == b"marker" for call in called + run(tails)):
    sys.exit("marker was run")
if os.listdir(work + "/empty"):
    sys.exit(f"a command made {os.listdir(work + '/empty')}")
for program in programs:
    mine = [call for call in called if call[0] == os.fsencode(program) and word in call[1:]]
    if not mine:
        sys.exit(f"{program} is not called with {word!r}: {called}")
    for call in mine:
        if word.startswith(b"-") and not call[call.index(word, 1) - 1].startswith(b"-"):
            sys.exit(f"{word!r} is an option in {call}")
PY

# carried WHAT WORD PROGRAM...: $work/out and err contain commands that pass the word to each of
# these programs.
carried()
{
	python3 "$work/carried.py" "$work" "${@:2}" >&2 || { show; fail "$1: $2"; }
}

# (In quotes, for "&" in a replacement is what was found to bash 5.2.)
xml()
{
	local text=${1//'&'/'&amp;'}

	text=${text//'<'/'&lt;'}
	text=${text//'"'/'&quot;'}
	printf '%s' "${text//"'"/'&apos;'}"
}
# As in /proc/self/mountinfo.
octal()
{
	local text=${1//'\'/'\134'}

	text=${text//' '/'\040'}
	printf '%s' "${text//'#'/'\043'}"
}

echo "the gate of libvirt"
host=$work/host
# guest_on TARGET SOURCE PROTO PATH: the hook's answer to a guest with a disk there.
guest_on()
{
	echo '1 0 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw' >"$host/proc/self/mountinfo"
	: >"$host/proc/self/mountstats"
	[[ ! $1 ]] || {
		printf '42 1 0:42 / %s rw,relatime shared:42 - nfs4 %s rw,vers=4.2,hard,proto=%s,port=2049,addr=192.0.2.1\n' \
			"$(octal "$1")" "$(octal "$2")" "$3" >>"$host/proc/self/mountinfo"
		printf 'device %s mounted on %s with fstype nfs4 statvers=1.1\n\topts:\trw,vers=4.2,proto=%s\n\tage:\t7\n\txprt:\t%s 0 0 1 0 5 1200 1200 0 1200 0\n' \
			"$(octal "$2")" "$(octal "$1")" "$3" "$3" >>"$host/proc/self/mountstats"
	}
	cat >"$work/guest.xml" <<-END
	<domain type='qemu'><name>web1</name><devices><disk type='file' device='disk'>
	<source file='$4'/><target dev='vda' bus='virtio'/></disk></devices></domain>
	END
	status=0
	"$hook" --root "$host" web1 prepare begin - <"$work/guest.xml" >"$work/out" 2>"$work/err" || status=$?
	[[ $status == 1 ]] || { show; fail "the gate lets it pass: $1"; }
}
for name in "${names[@]}"; do
	rm -rf "$host"
	mkdir -p "$host/proc/self" "$host/srv/$name" "$host/etc/libvirt/storage"
	cat >"$host/etc/libvirt/storage/$name.xml" <<END
<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'>
  <name>$(xml "$name")</name>
  <source><host name='nas'/><dir path='/vms'/><format type='nfs'/></source>
  <target><path>$(xml "/srv/$name")</path></target>
  <fs:mount_opts><fs:option name='proto=rdma'/></fs:mount_opts>
</pool>
END
	guest_on "/srv/$name" nas:/vms tcp "$(xml "/srv/$name/disk")"
	carried "pool over TCP" "$name" nfsrdma
	guest_on '' '' '' "$(xml "/srv/$name/disk")"
	carried "pool that is not mounted" "$name" virsh nfsrdma
	# A directory that fstab mounts over RDMA.
	rm "$host/etc/libvirt/storage/$name.xml"
	printf 'nas:/vms %s nfs proto=rdma,port=20049 0 0\n' "$(octal "/srv/$name")" >"$host/etc/fstab"
	guest_on '' '' '' "$(xml "/srv/$name/disk")"
	carried "fstab" "/srv/$name" mount
done

echo "pools"
for name in "${names[@]}"; do
	cat >"$work/pool.xml" <<END
<pool type='netfs'><name>$(xml "$name")</name>
  <source><host name='nas'/><dir path='/vms'/><format type='nfs'/></source>
  <target><path>/srv/vms</path></target></pool>
END
	# Its text wraps at blanks.
	run pool verify "$work/pool.xml" --format json
	expect_status 1
	report '.findings[] | .summary, (.steps[].command // empty)' >"$work/findings"
	mv "$work/findings" "$work/out"
	carried "pool verify" "$name" nfsrdma
done

echo "setup and snapshot: the folder of a machine, a file"
mkdir -p "$work/made" "$work/source/server"
printf '@include %s\n' debian12 siw rdma-loaded >"$work/source/server/host"
printf '@dir var/lib\nusr/sbin/rpc.nfsd: x\n' >>"$work/source/server/host"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/made" "$work/source/server" || fail "make-host"
machine=$work/made/server
for name in "${paths[@]}"; do
	mv "$machine" "$work/made/$name"
	machine=$work/made/$name
	run setup server --root "$machine"
	expect_status 0
	carried "setup" "$machine" nfsrdma
	run setup --undo --root "$machine"
	expect_status 0
	run snapshot "$work/$name.tar.gz" --root "$machine"
	expect_status 0
	carried "snapshot" "$work/$name.tar.gz" nfsrdma
	rm -- "$work/$name.tar.gz"
done

echo "ovirt"
mkdir -p "$work/ovirt"/{etc,var/lib/dpkg,proc/self}
printf 'Package: nfs-common\nStatus: install ok installed\nVersion: 1:2.8.3-1\n\n' >"$work/ovirt/var/lib/dpkg/status"
for name in "${names[@]}"; do
	printf '21 1 8:1 / / rw - xfs /dev/sda1 rw\n' >"$work/ovirt/proc/self/mountinfo"
	run ovirt options --root "$work/ovirt" "nas:/$name"
	# Names that VDSM itself refuses are refused.
	((status != 2)) || continue
	expect_status 0
	carried "ovirt options" "nas:/$name" mount
	dir=/rhev/data-center/mnt/nas:_$name
	printf '90 21 0:90 / %s rw - nfs4 %s rw,vers=4.2,proto=tcp,addr=192.0.2.1\n' "$(octal "$dir")" "$(octal "nas:/$name")" \
		>>"$work/ovirt/proc/self/mountinfo"
	run ovirt options --root "$work/ovirt" "nas:/$name"
	carried "ovirt, mounted over TCP" "$dir" umount
done

echo "check: an interface"
# Fifteen characters without blanks, as in the kernel.
for name in 'i;marker;' '`marker`' "it's" '>marker' '*' 'a"b'; do
	for machine in rxe-dropped-in rxe-iptables-drop; do
		rm -rf "$work/net"
		mkdir "$work/net"
		python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/net" "$NFSRDMA_SOURCE/tests/hosts/$machine" || fail "make-host"
		# In every text and every file name.
		python3 - "$work/net/$machine" "$name" <<'PY'
import json, os, sys
top, name = sys.argv[1:]
for folder, dirs, files in os.walk(top, topdown=False):
    for entry in dirs + files:
        path = os.path.join(folder, entry)
        if os.path.islink(path):
            to = os.readlink(path)
            if "eth0" in to:
                os.unlink(path)
                os.symlink(to.replace("eth0", name), path)
        elif os.path.isfile(path):
            text = open(path, errors="surrogateescape").read()
            if "eth0" in text:
                new = json.dumps(name)[1:-1] if path.endswith(".json") else name
                open(path, "w", errors="surrogateescape").write(text.replace("eth0", new))
        if "eth0" in entry:
            os.rename(path, os.path.join(folder, entry.replace("eth0", name)))
PY
		run check nas.example --root "$work/net/$machine" --format json
		report '.findings[] | .summary, (.evidence[]? | tostring)' >"$work/findings" || { show; fail "check of $machine"; }
		mv "$work/findings" "$work/out"
		program=nft word="\"$name\""
		[[ $machine != rxe-iptables-drop ]] || program=iptables word=$name
		# A name that nft accepts needs no quotes.
		carried "check of $machine" "$word" "$program"
	done
done

echo "udev's rule for IPoIB"
python3 "$NFSRDMA_SOURCE/tests/support/make-host" "$work/net" "$NFSRDMA_SOURCE/tests/hosts/ipoib-connected-small-mtu" || fail "make-host"
run setup client --root "$work/net/ipoib-connected-small-mtu"
expect_status 0
grep -q '^ACTION=="add".*RUN+=' "$work/net/ipoib-connected-small-mtu/etc/udev/rules.d/90-nfsrdma-ipoib.rules" || fail "no rule"
python3 - "$work" "$work/net/ipoib-connected-small-mtu/etc/udev/rules.d/90-nfsrdma-ipoib.rules" <<'PY' || fail "the rule"
import os, re, subprocess, sys
work, rules = sys.argv[1:]
run = re.search(r'RUN\+="([^"]*)"', open(rules).read()).group(1)

# udev's substitution, and then its splitting: at blanks outside quotes, which it removes.
def words(name):
    text = re.sub(r"\$(\$|name)", lambda found: "$" if found.group(1) == "$" else name, run)
    out, quote, word = [], "", None
    for c in text:
        if quote:
            quote, word = ("", word) if c == quote else (quote, word + c)
        elif c in "'\"":
            quote, word = c, word or ""
        elif c == " ":
            out, word = out + [word] * (word is not None), None
        else:
            word = (word or "") + c
    return out + [word] * (word is not None)

for name in ("ib0", "i;marker;", "$(marker)", "`marker`", "i|marker", "i&marker", ">marker", "i'marker", "'marker;'", 'i"x'):
    os.makedirs(f"{work}/sys/{name}", exist_ok=True)
    open(work + "/calls", "w").close()
    argv = [word.replace("/sys/class/net", work + "/sys") for word in words(name)]
    subprocess.run(argv, cwd=work + "/empty", env={"PATH": work + "/bin"}, stdin=subprocess.DEVNULL)
    if os.path.getsize(work + "/calls") or os.listdir(work + "/empty"):
        sys.exit(f"{name}: something else was run")
    # udev itself removes quotes.
    if not set(name) & set("'\""):
        wrote = [open(f"{work}/sys/{name}/{file}").read() for file in ("mode", "mtu")]
        if wrote != ["connected\n", "65520\n"]:
            sys.exit(f"{name}: {wrote}")
PY
