#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
# Copyright (C) 2026 The nfsrdma authors
"""view.py NFSRDMA HOOK CONSUMERS WORK: the table of contradictions. For each row of WANTED and each of
EFFECTS a host is made, and everyone who says what is wanted of a mount and what it is, is asked: mounts,
check, libvirt's hook, a pool, ovirt, the watcher and the mount helper. What they say must be what the row
says, so none can contradict another, and each names the same file and line, or pool."""
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

NFSRDMA, HOOK, CONSUMERS, WORK = sys.argv[1:5]
# VDSM's directory of the source, which it has linked; and one of which nothing is known but by its row.
DIR = '/rhev/data-center/mnt/nas:_vm'
PLAIN = '/srv/vm'
DOMAIN = '3f2504e0-4f89-11d3-9a0c-0305e82c3301'
SOURCE = 'nas:/vm'
BOOT = 'b3fe4a6a-8f6b-425a-81db-11412b84d08b'
POOL = ("<pool type='netfs' xmlns:fs='http://libvirt.org/schemas/storagepool/fs/1.0'><name>vm</name>"
        "<source><host name='nas'/><dir path='/vm'/><format type='nfs'/></source>"
        f"<target><path>{DIR}</path></target><fs:mount_opts><fs:option name='proto=rdma'/>"
        "<fs:option name='port=20049'/></fs:mount_opts></pool>")
UTAB = f'SRC={SOURCE} TARGET={DIR} ROOT=/ ATTRS=%s\n'
CONF = 'etc/nfsrdma.conf'


def request(policy, state='mounted', path=DIR, age=1):
    """As mount.nfsrdma notes it; now is what CLOCK_MONOTONIC says."""
    import time
    now = int(time.clock_gettime(time.CLOCK_MONOTONIC) - age) * 1000
    return f'{state} {now}\n{BOOT}\n{policy}\n{SOURCE}\n{path}\n'


def unit(folder, kind='nfsrdma', options='vers=4.2', wanted='mount'):
    """A .mount unit, and the link that enables it or its .automount."""
    files = {f'{folder}/srv-vm.mount': f'[Unit]\n[Mount]\nWhat={SOURCE}\nWhere={PLAIN}\nType={kind}\n'
                                       f'Options={options}\n[Install]\nWantedBy=remote-fs.target\n'}
    if wanted:
        files[f'etc/systemd/system/remote-fs.target.wants/srv-vm.{wanted}'] = ('link', f'/{folder}/srv-vm.{wanted}')
    return files


def storage(more):
    return {'etc/pve/storage.cfg': f'nfs: vm\n\tserver nas\n\texport /vm\n\tpath {PLAIN}\n\toptions proto=rdma\n' + more,
            'proc/sys/kernel/hostname': 'pve1\n'}


# name: what binds, who says so, whether it speaks of the directory (so also where nothing is mounted),
# of a source there, and files
WANTED = {
    'nobody': (None, '', False, False, {}),
    'built-in': (None, '', False, False, {CONF: '[default]\ncheck = none\n'}),
    'options': ('require', 'its mount options', False, False, {'run/mount/utab': UTAB % 'proto=rdma,port=20049'}),
    'options-tcp': (None, '', False, False, {'run/mount/utab': UTAB % 'proto=tcp'}),
    'pool': ('require', "pool 'vm'", True, True, {'pool': 1}),
    'server': ('require', '/etc/nfsrdma.conf:2', True, True, {CONF: '[server nas]\npolicy = require\n'}),
    'server-prefer': ('prefer', '/etc/nfsrdma.conf:2', True, True, {CONF: '[server nas]\npolicy = prefer\n'}),
    'server-tcp': ('require', '/etc/nfsrdma.conf:2', False, False,
                   {CONF: '[server nas]\npolicy = require\n', 'run/mount/utab': UTAB % 'proto=tcp'}),
    'off-beats-options': (None, '', False, False, {CONF: '[server nas]\npolicy = off\n',
                                                   'run/mount/utab': UTAB % 'proto=rdma'}),
    'off-beats-pool': (None, '', False, False, {CONF: '[export nas:/vm]\npolicy = off\n', 'pool': 1}),
    'prefer-beats-pool': ('prefer', '/etc/nfsrdma.conf:2', True, True,
                          {CONF: '[server nas]\npolicy = prefer\n', 'pool': 1}),
    'export': ('require', '/etc/nfsrdma.conf:2', True, True, {CONF: '[export nas:/v*]\npolicy = require\n'}),
    'directory': ('require', '/etc/nfsrdma.conf:2', True, True, {CONF: f'[directory {DIR}]\npolicy = require\n'}),
    'directory-prefer': ('prefer', '/etc/nfsrdma.conf:2', True, True,
                         {CONF: f'[directory {DIR}]\npolicy = prefer\n'}),
    'default': ('require', '/etc/nfsrdma.conf:2', True, True, {CONF: '[default]\npolicy = require\n'}),
    'default-prefer': ('prefer', '/etc/nfsrdma.conf:2', True, True, {CONF: '[default]\npolicy = prefer\n'}),
    'default-off': (None, '', False, False, {CONF: '[default]\npolicy = off\n',
                                             'run/mount/utab': UTAB % 'proto=rdma'}),
    'fstab': ('require', '/etc/fstab:2', True, True,
              {'etc/fstab': f'# x\n{SOURCE} {DIR} nfs proto=rdma,port=20049 0 0\n'}),
    'fstab-prefer': ('prefer', '/etc/fstab:1', True, True,
                     {'etc/fstab': f'{SOURCE} {DIR} nfsrdma nfsrdma.policy=prefer 0 0\n'}),
    'fstab-off': (None, '', False, True, {'etc/fstab': f'{SOURCE} {DIR} nfsrdma nfsrdma.policy=off 0 0\n',
                                          CONF: '[default]\npolicy = require\n'}),
    'nfsmount.conf': ('require', '/etc/nfsmount.conf:2', True, True,
                      {'etc/nfsmount.conf': '[ Server "nas" ]\nProto=rdma\n'}),
    'request': ('require', 'its mount by mount.nfsrdma', False, False, {'request': 'require'}),
    'request-prefer': ('prefer', 'its mount by mount.nfsrdma', False, False, {'request': 'prefer'}),
    # nfsrdma.policy= of one mount outweighs [default], and a section outweighs it.
    'request-over-prefer': ('require', 'its mount by mount.nfsrdma', False, False,
                            {'request': 'require', CONF: '[default]\npolicy = prefer\n'}),
    'request-over-off': ('require', 'its mount by mount.nfsrdma', False, False,
                         {'request': 'require', CONF: '[default]\npolicy = off\n'}),
    'request-below-section': ('prefer', '/etc/nfsrdma.conf:2', True, True,
                              {'request': 'require', CONF: '[server nas]\npolicy = prefer\n'}),
    'request-files': ('prefer', 'its mount by mount.nfsrdma', False, False,
                      {'request': 'nfsrdma.conf', CONF: '[default]\npolicy = prefer\n'}),
    'request-files-off': (None, '', False, False, {'request': 'nfsrdma.conf', CONF: '[default]\npolicy = off\n'}),
    'fstab-over-prefer': ('require', '/etc/fstab:1', True, True,
                          {'etc/fstab': f'{SOURCE} {DIR} nfsrdma nfsrdma.policy=require 0 0\n',
                           CONF: '[default]\npolicy = prefer\n'}),
    'fstab-over-off': ('require', '/etc/fstab:1', True, True,
                       {'etc/fstab': f'{SOURCE} {DIR} nfsrdma nfsrdma.policy=require 0 0\n',
                        CONF: '[default]\npolicy = off\n'}),
    'port': ('prefer', 'its mount option port=', False, False, {'port': 1}),
    # A bind mount is wanted as what it is of, and a sub-mount as what it lies below.
    'twin': ('require', '/etc/fstab:1', False, False, {'etc/fstab': f'{SOURCE} /srv/twin nfs proto=rdma 0 0\n',
                                                       'twin': 1}),
    'sub-mount': ('require', 'the mount above it', False, False,
                  {'above': 1}),
    # On PLAIN from here on. Who mounts it with RDMA.
    'plain-directory': ('require', '/etc/nfsrdma.conf:2', True, False,
                        {CONF: f'[directory {PLAIN}]\npolicy = require\n'}),
    'plain-server': ('require', '/etc/nfsrdma.conf:2', False, False, {CONF: '[server nas]\npolicy = require\n'}),
    'plain-fstab': ('require', '/etc/fstab:1', True, True, {'etc/fstab': f'{SOURCE} {PLAIN} nfs proto=rdma 0 0\n'}),
    'unit': ('require', '/etc/systemd/system/srv-vm.mount', True, True, unit('etc/systemd/system')),
    'unit-run': ('require', '/run/systemd/system/srv-vm.mount', True, True, unit('run/systemd/system')),
    'unit-usr-local': ('require', '/usr/local/lib/systemd/system/srv-vm.mount', True, True,
                       unit('usr/local/lib/systemd/system')),
    'unit-usr': ('require', '/usr/lib/systemd/system/srv-vm.mount', True, True, unit('usr/lib/systemd/system')),
    'unit-lib': ('require', '/lib/systemd/system/srv-vm.mount', True, True, unit('lib/systemd/system')),
    'unit-prefer': ('prefer', '/etc/systemd/system/srv-vm.mount', True, True,
                    unit('etc/systemd/system', options='vers=4.2,nfsrdma.policy=prefer')),
    'unit-over-off': ('require', '/etc/systemd/system/srv-vm.mount', True, True,
                      unit('etc/systemd/system', options='vers=4.2,nfsrdma.policy=require') |
                      {CONF: '[default]\npolicy = off\n'}),
    'unit-drop-in': ('require', '/usr/lib/systemd/system/srv-vm.mount', True, True,
                     unit('usr/lib/systemd/system', kind='nfs', options='proto=tcp') |
                     {'run/systemd/system/srv-vm.mount.d/rdma.conf': '[Mount]\nOptions=proto=rdma\n'}),
    'unit-policy': ('require', '/etc/nfsrdma.conf:2', True, True,
                    unit('etc/systemd/system', kind='nfs', options='vers=4.2') |
                    {CONF: '[server nas]\npolicy = require\n'}),
    'unit-generated': (None, '', False, False, unit('run/systemd/generator')),
    'unit-masked': (None, '', False, False,
                    unit('usr/lib/systemd/system') | {'etc/systemd/system/srv-vm.mount': ('link', '/dev/null')}),
    'unit-tcp': (None, '', False, True, unit('etc/systemd/system', kind='nfs', options='proto=tcp')),
    'unit-automount': ('require', '/etc/systemd/system/srv-vm.mount', True, True,
                       unit('etc/systemd/system', wanted='automount') |
                       {'etc/systemd/system/srv-vm.automount': f'[Automount]\nWhere={PLAIN}\n'}),
    'fstab-automount': ('require', '/etc/fstab:1', True, True,
                        {'etc/fstab': f'{SOURCE} {PLAIN} nfs noauto,x-systemd.automount,proto=rdma 0 0\n'}),
    # Another unit starts it.
    'unit-static': ('require', '/etc/systemd/system/srv-vm.mount', True, True,
                    {'etc/systemd/system/srv-vm.mount': f'[Mount]\nWhat={SOURCE}\nWhere={PLAIN}\nType=nfsrdma\n'}),
    'fstab-bind': ('require', '/etc/fstab:1', True, True,
                   {'etc/fstab': f'/srv/nas {PLAIN} none bind 0 0\n{SOURCE} /srv/nas nfs noauto,proto=rdma 0 0\n'}),
    'storage': ('require', '/etc/pve/storage.cfg:1', True, True, storage('')),
    'storage-nodes': ('require', '/etc/pve/storage.cfg:1', True, True, storage('\tnodes pve1,pve2\n')),
    'pending': ('require', 'an unfinished mount', True, False, {'pending': 'require'}),
    'pending-over-off': ('require', 'an unfinished mount', True, False,
                         {'pending': 'require', CONF: '[default]\npolicy = off\n'}),
    'pending-files-off': (None, '', False, False, {'pending': 'nfsrdma.conf', CONF: '[default]\npolicy = off\n'}),
    # Of a request that cannot be read it is unknown where nothing else is mounted.
    'broken': ('require', '/run/nfsrdma/requests/', True, False, {'broken': 1}),
    # What is written there need not be mounted: it counts for what is mounted alone.
    'idle-unit': ('require', '/etc/systemd/system/srv-vm.mount', True, True, unit('etc/systemd/system', wanted='')),
    'idle-fstab': ('require', '/etc/fstab:1', True, True, {'etc/fstab': f'{SOURCE} {PLAIN} nfs proto=rdma,noauto 0 0\n'}),
    'idle-policy': ('require', '/etc/nfsrdma.conf:2', True, True,
                    {'etc/fstab': f'{SOURCE} {PLAIN} nfs noauto 0 0\n', CONF: '[server nas]\npolicy = require\n'}),
    'idle-storage': ('require', '/etc/pve/storage.cfg:1', True, True, storage('\tdisable\n')),
    'idle-nodes': ('require', '/etc/pve/storage.cfg:1', True, True, storage('\tnodes pve2\n')),
}
PLAIN_ROWS = list(WANTED)[list(WANTED).index('plain-directory'):]
# Whose mount the automounter's own trigger tells, and who does not say what it mounts.
ON_DEMAND = {'fstab', 'fstab-prefer', 'fstab-over-prefer', 'fstab-over-off', 'unit-over-off', 'plain-fstab', 'fstab-automount', 'unit', 'unit-run', 'unit-usr-local', 'unit-usr',
             'unit-lib', 'unit-prefer', 'unit-drop-in', 'unit-automount', 'unit-static', 'fstab-bind', 'idle-unit', 'idle-fstab'}


def dir_of(want):
    return PLAIN if want in PLAIN_ROWS else DIR

XPRT = {'rdma': '\txprt: rdma 0 0 1 0 5 100 0 100 0 0 0 1 2 3 4 5 6 7 8 0 0 0 0 0 30 0 0 12\n',
        'tcp': '\txprt: tcp 800 1 1 0 2 55 55 0 55 0 2 0 0\n'}


def nfs(ident, under, path, source, proto, port, dev=53):
    named = f',proto={proto}' if proto else ''
    return (f'{ident} {under} 0:{dev} / {path} rw - nfs4 {source} '
            f'rw,vers=4.2,hard{named}{port},addr=192.0.2.1\n')


def stats(path, source, xprts):
    return (f'device {source} mounted on {path} with fstype nfs4 statvers=1.1\n\tage: 60\n'
            + ''.join(XPRT[x] for x in xprts))


# name: transport of mountinfo, connections in mountstats, source; or what else lies there
EFFECTS = {
    'rdma': ('rdma', ['rdma'], SOURCE),
    'claimed': ('rdma', [], SOURCE),
    'mixed': ('rdma', ['rdma', 'tcp'], SOURCE),
    'tcp': ('tcp', ['tcp'], SOURCE),
    'unknown': ('', [], SOURCE),
    'alias': ('rdma', ['rdma'], '192.0.2.1:/vm'),
    'unproven': ('rdma', ['rdma'], SOURCE),
    'nothing': None,
    'stranger': '91 21 8:2 / %s rw - ext4 /dev/sdb1 rw\n',
    'on-demand': '91 21 0:77 / %s rw - autofs systemd-1 rw,fd=5,direct\n',
}

# A mount that is not there has no options, request, port, nor a twin; the sources of an alias are others.
OF_A_MOUNT = {'request-over-prefer', 'request-below-section', 'request-over-off', 'request-files', 'request-files-off', 'options', 'options-tcp', 'request', 'request-prefer', 'port', 'twin', 'sub-mount', 'server-tcp',
              'off-beats-options', 'default-off'}


def makes_sense(want, effect):
    if want.startswith('unit-') and want not in ('unit-prefer', 'unit-policy') and effect in (
            'claimed', 'mixed', 'unknown', 'alias', 'unproven', 'stranger'):
        return False
    if not isinstance(EFFECTS[effect], tuple):
        return want not in OF_A_MOUNT
    if effect in ('alias', 'unproven') and want in OF_A_MOUNT:
        return False
    return want != 'port' or effect == 'tcp'


def expected(want, effect):
    """good, tolerated, bad, unknown; calm: nobody wants RDMA there."""
    binds, _, of_dir, of_source, _ = WANTED[want]
    if not binds:
        return 'calm'
    missing = not isinstance(EFFECTS[effect], tuple)
    # What an automount mounts may be of the server that a section requires RDMA of.
    if effect == 'on-demand' and want == 'plain-server':
        return 'unknown'
    if missing and not of_dir:
        return 'calm'
    if effect == 'on-demand' and want in ON_DEMAND:
        return 'good'
    if effect == 'on-demand' and want in ('unit-policy', 'idle-policy'):
        return 'bad'
    # Nothing speaks of it while it is not mounted; what the kernel shows there is no unfinished mount.
    if effect == 'nothing' and want.startswith('idle'):
        return 'calm'
    if want.startswith('pending') and effect in ('on-demand', 'alias'):
        return 'calm'
    if want == 'broken':
        return 'good' if effect in ('rdma', 'claimed', 'unproven', 'alias', 'on-demand') else 'unknown'
    if effect in ('nothing', 'stranger'):
        return 'bad'
    if effect in ('on-demand', 'unknown'):
        return 'unknown'
    if effect == 'alias' and not of_source and want in ('server', 'server-prefer', 'export', 'nfsmount.conf'):
        return 'calm'
    if effect == 'alias':
        return 'tolerated' if of_source else 'good'
    if effect in ('rdma', 'claimed', 'unproven'):
        return 'good'
    return 'tolerated' if binds == 'prefer' else 'bad'


def write(root, path, text):
    path = f'{root}/{path}'
    os.makedirs(os.path.dirname(path), exist_ok=True)
    if isinstance(text, tuple):
        os.symlink(text[1], path)
        return
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)


def make(root, want, effect, more=''):
    files = dict(WANTED[want][4])
    path = dir_of(want)
    info = '21 1 8:1 / / rw - xfs /dev/sda1 rw\n'
    counters = ''
    what = EFFECTS[effect]
    under = 21
    if 'above' in files:
        info += nfs(80, 21, '/rhev/data-center/mnt', 'nas:/', 'rdma', ',port=20049', 52)
        counters += stats('/rhev/data-center/mnt', 'nas:/', ['rdma'])
        under = 80
    if 'twin' in files and isinstance(what, tuple):
        info += nfs(81, 21, '/srv/twin', SOURCE, what[0], '')
        counters += stats('/srv/twin', SOURCE, what[1]) if what[1] else ''
    if isinstance(what, tuple):
        info += nfs(90, under, path, what[2], what[0], ',port=20049' if 'port' in files else '')
        counters += stats(path, what[2], what[1]) if what[1] else ''
    elif what:
        info += what % path
    write(root, 'proc/self/mountinfo', info)
    write(root, 'proc/self/mountstats', counters)
    write(root, 'proc/sys/kernel/random/boot_id', BOOT + '\n')
    if 'pool' in files:
        write(root, 'etc/libvirt/storage/vm.xml', POOL)
        write(root, 'run/libvirt/storage/vm.xml', f'<poolstate>{POOL}</poolstate>')
    if effect == 'unproven':
        # What a killed helper of an earlier version left says nothing.
        write(root, 'run/nfsrdma/mounts/90.json', json.dumps({'mount': {
            'id': 90, 'dev': '0:53', 'target': path, 'fs_spec': SOURCE, 'boot_id': BOOT, 'wanted': 'rdma', 'policy': 'require',
            'effective': '', 'state': 'unproven', 'checked_monotonic_ms': 1, 'by': 'mount.nfsrdma'}}))
    # Long after the mount was made, 60 s ago.
    if 'request' in files:
        write(root, f'run/nfsrdma/requests/{request_name(path)}', request(files['request'], path=path))
    if 'pending' in files:
        write(root, f'run/nfsrdma/requests/{request_name(path)}', request(files['pending'], 'pending', path, 60))
    if 'broken' in files:
        write(root, f'run/nfsrdma/requests/{request_name(path)}', 'pending 1\n')
    for name, text in files.items():
        if '/' in name:
            write(root, name, text)
    if path == DIR and 'above' not in files:
        write(root, f'rhev/data-center/{DOMAIN}/{DOMAIN}', ('link', f'{DIR}/{DOMAIN}'))
    if more:
        os.makedirs(f'{root}/etc', exist_ok=True)
        with open(f'{root}/{CONF}', 'a', encoding='utf-8') as out:
            out.write(more)
    os.makedirs(root + path, exist_ok=True)


def request_name(path):
    """FNV-1a of the directory."""
    value = 0xcbf29ce484222325
    for byte in path.encode():
        value = (value ^ byte) * 0x100000001b3 % 2 ** 64
    return f'{value:016x}'


def run(*args, stdin=''):
    done = subprocess.run(args, input=stdin, capture_output=True, text=True, timeout=60, check=False)
    return done.returncode, done.stdout, done.stderr


STATUS = {'fail': 'bad', 'unknown': 'unknown', 'warn': 'tolerated', 'pass': 'good', 'skip': '-'}
ORDER = ['bad', 'unknown', 'tolerated', 'good', '-']


def worst(statuses):
    return min((STATUS[s] for s in statuses), key=ORDER.index, default='-')


IDS = ('mount.transport', 'mount.submount', 'mount.missing')


def ask_mounts(root, path):
    _, out, _ = run(NFSRDMA, 'mounts', '--root', root, '--format', 'json')
    found = [f for f in json.loads(out)['findings']
             if f['id'] in IDS and f['evidence'].get('target', path) == path]
    who = {f['evidence']['wanted_by'] for f in found if f['evidence'].get('wanted_by')
           and f['status'] in ('fail', 'warn', 'unknown')}
    who |= {f['id'] + '/' + f['reason'] for f in found if f.get('reason')}
    return worst(f['status'] for f in found), ' '.join(who)


def ask_check(root):
    _, out, _ = run(NFSRDMA, 'check', '--root', root, '--role', 'client', '--format', 'json')
    found = [f for f in json.loads(out)['findings'] if f['id'] in IDS]
    return worst(f['status'] for f in found), ' '.join(f['summary'] for f in found)


def ask_hook(root, strict, path):
    guest = (f"<domain type='qemu'><name>g</name><devices><disk type='file' device='disk'>"
             f"<source file='{path}/d/a.img'/><target dev='vda' bus='virtio'/></disk></devices></domain>")
    status, _, err = run(HOOK, '--root', root, 'g', 'prepare', 'begin', '-', stdin=guest)
    if status == 1:
        return 'bad', err
    # What is unknown is refused where the policy says so, and there alone.
    if run(HOOK, '--root', strict, 'g', 'prepare', 'begin', '-', stdin=guest)[0] == 1:
        return 'unknown', err
    return ('tolerated' if 'allowed, with a warning' in err else 'good'), err


def ask_others(root, path):
    _, out, err = run(CONSUMERS, root, path, SOURCE)
    said = {}
    for line in out[:out.index('{')].splitlines():
        name, _, rest = line.partition(' ')
        said[name] = rest
    report = json.loads(out[out.index('{'):])
    things = [f for f in report['findings'] if f['id'] == 'watch.mount' and f['evidence'].get('target') == path]
    said['watch'] = worst(f['status'] for f in things), ' '.join(f['summary'] for f in things)
    if err:
        said['error'] = err
    return said


def judge(name, want, effect, said, who):
    """The ways in which what is said is not what the row says."""
    want_state = expected(want, effect)
    source = WANTED[want][1]
    # Nobody asks, and it may be said all the same that connections differ, or what is not known.
    allowed = {'calm': {'good', '-', 'tolerated'}, 'good': {'good'}, 'tolerated': {'tolerated'},
               'bad': {'bad'}, 'unknown': {'unknown'}}[want_state]
    missing = not isinstance(EFFECTS[effect], tuple)
    if want.startswith('pending') and not missing:
        source = 'its mount by mount.nfsrdma'
    # It may be of another directory for those who report the whole host, and the watcher has a finding of its own.
    if want == 'broken' and name in ('mounts', 'check'):
        allowed = {'unknown'}
    if want == 'broken' and name == 'watch':
        allowed = allowed | {'-', 'good'}
    if name in ('mounts', 'check') and missing:
        # A guest with a disk there is refused or not known; whether it must be mounted now is another thing.
        if want.startswith(('directory', 'plain-directory', 'idle', 'storage')) or effect == 'on-demand' or 'automount' in want or want == 'unit-static':
            allowed = allowed | {'-'}
    if name == 'check' and want == 'sub-mount' and want_state == 'good':
        allowed = allowed | {'-'}
    if name == 'check' and want == 'sub-mount' and effect == 'tcp':
        # As a sub-mount it names the mount.
        source = 'below /rhev/data-center/mnt'
    if name == 'hook' and WANTED[want][0] == 'prefer' and want_state == 'unknown':
        allowed = allowed | {'tolerated'}
    if name == 'watch' and (missing or effect == 'alias'):
        allowed = allowed | {'-', 'good'}
    if said not in allowed:
        return [f'{want} x {effect}: {name} says {said}, and the row {want_state}']
    if name == 'mounts' and want.startswith('pending') and said == 'bad' and missing and 'mount.missing/unfinished' not in who:
        return [f'{want} x {effect}: {name} gives no reason that clears it: {who}']
    if said in ('bad', 'tolerated') and name != 'watch' and want_state != 'calm' and source not in who:
        return [f'{want} x {effect}: {name} does not name "{source}": {who.strip()}']
    return []


def one(row):
    want, effect = row
    root, strict = (f'{WORK}/{want}-{effect}{x}' for x in ('', '-strict'))
    make(root, want, effect)
    make(strict, want, effect, ('' if '[default]' in WANTED[want][4].get(CONF, '') else '[default]\n')
         + 'on-unknown = refuse\n')
    path = dir_of(want)
    bad = judge('mounts', want, effect, *ask_mounts(root, path))
    bad += judge('check', want, effect, *ask_check(root))
    bad += judge('hook', want, effect, *ask_hook(root, strict, path))
    if not os.access(CONSUMERS, os.X_OK):
        return bad
    others = ask_others(root, path)
    if 'error' in others:
        return bad + [f'{want} x {effect}: {others["error"]}']
    bad += judge('watch', want, effect, *others['watch'])
    what = EFFECTS[effect]
    over = 'none' if not isinstance(what, tuple) else 'rdma' if effect in (
        'rdma', 'claimed', 'alias', 'unproven') else 'other'
    if others['helper'] != over:
        bad.append(f'{want} x {effect}: the helper says {others["helper"]}')
    if 'pool' in others:
        status, _, text = others['pool'].partition(' ')
        # Nothing is mounted, and libvirt takes it for running: that is wrong for whoever wants what.
        if expected(want, effect) != 'calm' or isinstance(what, tuple):
            state = 'bad' if expected(want, effect) == 'unknown' and not isinstance(what, tuple) else None
            if state is None or STATUS[status] != state:
                bad += judge('pool', want, effect, STATUS[status],
                             text.replace('its options', "pool 'vm'") + (WANTED[want][1] if effect in (
                                 'nothing', 'stranger', 'alias', 'unproven') else ''))
    if path == DIR and isinstance(what, tuple) and (others['ovirt'] != '') != (expected(want, effect) in ('bad', 'tolerated')) \
            and expected(want, effect) in ('bad', 'good'):
        bad.append(f'{want} x {effect}: ovirt says "{others["ovirt"]}"')
    return bad


# What a map of autofs tells of what will be mounted: trigger in mountinfo, map, whether it can be executed, conf,
# and what the gate says.
AUTOFS = [
    ('/srv - autofs /etc/auto.vm rw,indirect', 'vm -fstype=nfsrdma,vers=4.2 nas:/vm\n', False, 'require', 'good'),
    ('/srv - autofs /etc/auto.vm rw,indirect', '* -proto=rdma nas:/&\n', False, 'require', 'good'),
    ('/srv - autofs /etc/auto.vm rw,indirect', '# x\nother nas:/o\nvm -proto=tcp \\\n nas:/vm\n', False, 'require', 'bad'),
    ('/srv - autofs /etc/auto.vm rw,indirect', 'vm nas:/vm\n', False, 'prefer', 'tolerated'),
    ('/srv - autofs /etc/auto.vm rw,indirect', 'vm nas:/vm\n', False, 'off', 'good'),
    ('/srv/vm - autofs file:/etc/auto.vm rw,direct', '/srv/vm -proto=rdma nas:/vm\n', False, 'require', 'good'),
    ('/srv/vm - autofs /etc/auto.vm rw,direct', '/srv/vm nas:/vm\n', False, 'require', 'bad'),
    ('/srv - autofs /etc/auto.vm rw,indirect', '#!/bin/sh\necho nas:/vm\n', True, 'require', 'unknown'),
    ('/srv - autofs /etc/auto.vm rw,indirect', '+auto.vm\n', False, 'require', 'unknown'),
    ('/srv - autofs /etc/auto.vm rw,indirect', 'vm / nas:/vm /sub nas:/sub\n', False, 'require', 'unknown'),
    ('/srv - autofs ldap:ou=auto.vm rw,indirect', None, False, 'require', 'unknown'),
    ('/srv - autofs auto.vm rw,indirect', None, False, 'require', 'unknown'),
    ('/srv - autofs /etc/auto.vm rw,indirect', None, False, 'require', 'unknown'),
]


def autofs(number):
    where, text, program, policy, says = AUTOFS[number]
    root, strict = (f'{WORK}/autofs-{number}{x}' for x in ('', '-strict'))
    for top in (root, strict):
        write(top, 'proc/self/mountinfo', '21 1 8:1 / / rw - xfs /dev/sda1 rw\n91 21 0:77 / '
              + where.replace(' - ', ' rw - ') + '\n')
        write(top, 'proc/self/mountstats', '')
        write(top, CONF, f'[directory {PLAIN}]\npolicy = {policy}\n'
              + ('on-unknown = refuse\n' if top == strict else ''))
        os.makedirs(f'{top}/srv', exist_ok=True)
        if text is not None:
            write(top, 'etc/auto.vm', text)
            os.chmod(f'{top}/etc/auto.vm', 0o755 if program else 0o644)
    said, err = ask_hook(root, strict, PLAIN)
    return [] if said == says else [f'autofs {AUTOFS[number]}: the hook says {said}: {err}']


rows = [(want, effect) for want in WANTED for effect in EFFECTS if makes_sense(want, effect)]
with ThreadPoolExecutor(2) as pool:
    wrong = [text for texts in pool.map(one, rows) for text in texts]
    wrong += [text for texts in pool.map(autofs, range(len(AUTOFS))) for text in texts]
print('\n'.join(wrong))
print(f'{len(rows) + len(AUTOFS)} rows, {len(wrong)} contradictions')
sys.exit(1 if wrong else 0)
