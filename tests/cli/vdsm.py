# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
#
# vdsm.py HOOKS POINT KIND DATA [NAME=VALUE...]: calls the scripts of a hook point as VDSM does, as its user, by
# what its manual and its hooks show from outside: in the order of their names, each with the path of
# one temporary file (KIND json or domxml; DATA is what is in it first) in the environment, through
# taskset, with nothing on stdin. Prints what came of it as JSON; DATA.after is what was in the file.
import json, os, stat, subprocess, sys, tempfile, time

# A script that fails makes VDSM's call fail at these; at the others it is logged.
RAISING = {"after_disk_prepare", "before_vm_start", "before_vm_migrate_destination",
           "before_disk_hotplug"}
# Here the words are those of the last script that failed, else of the last that ran.
LAST_FAILED = {"before_vm_start"}

# oVirt's numbers of vdsm and kvm, whether or not there are such users here.
VDSM, KVM = 36, 36

if os.getuid() == 0:
    os.setgroups([])
    os.setgid(KVM)
    os.setuid(VDSM)
hooks, point, kind, data = sys.argv[1:5]
folder = os.path.join(hooks, point)
scripts = sorted(path for path in (os.path.join(folder, name) for name in os.listdir(folder))
                 if os.path.isfile(path) and os.access(path, os.X_OK))
fd, path = tempfile.mkstemp(dir=os.environ.get("VDSM_TMP"))
with open(data, "rb") as source:
    before = source.read()
os.write(fd, before)
os.close(fd)
old = os.stat(path)

env = dict(os.environ)
env["vmId"] = "0a0a0a0a-0000-0000-0000-00000000000a"
env["PYTHONPATH"] = ":/usr/lib/python3/site-packages/vdsm/hook"
env["_hook_" + kind] = path
for setting in sys.argv[5:]:
    name, value = setting.split("=", 1)
    if value == "-":
        env.pop(name, None)
    else:
        env[name] = value

result = {"ran": [], "rc": {}, "err": {}, "ms": {}}
errors, last = [], b""
for script in scripts:
    name = os.path.basename(script)
    cpus = "0-%d" % (os.cpu_count() - 1)
    start = time.monotonic()
    process = subprocess.Popen(["taskset", "--cpu-list", cpus, script], env=env,
                               stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE)
    out, last = process.communicate(timeout=120)
    result["ms"][name] = round((time.monotonic() - start) * 1000, 1)
    result["ran"].append(name)
    result["rc"][name] = process.returncode
    result["err"][name] = last.decode("utf-8", "replace")
    if process.returncode:
        errors.append(last)
    if process.returncode == 2:
        break
result["raised"] = None
if errors and point in RAISING:
    words = errors[-1] if point in LAST_FAILED else last
    result["raised"] = words.decode("utf-8", "replace")

with open(path, "rb") as file:
    after = file.read()
new = os.stat(path)
result["same"] = after == before
result["kept"] = ((old.st_mode, old.st_uid, old.st_gid) == (new.st_mode, new.st_uid, new.st_gid)
                  and stat.S_IMODE(new.st_mode) == 0o600)
result["left"] = sorted(set(os.listdir(os.path.dirname(path))) - {os.path.basename(path)})
os.unlink(path)
with open(data + ".after", "wb") as sink:
    sink.write(after)
if kind == "json" and not result["raised"]:
    try:
        json.loads(after.decode("utf-8"))
        result["json"] = True
    except ValueError:
        result["json"] = False
print(json.dumps(result))
