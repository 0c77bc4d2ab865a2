#!/usr/bin/env bash
# A sweep on a real Slurm of one node: a task that is preempted writes a checkpoint, is queued again and goes on; previews and tables
# follow. Needs root and the packages slurm-wlm and munge; starts a Slurm of its own and stops it.
#     tests/interop/slurm.sh [PERCALE]      the program, target/release/percale if absent
set -euo pipefail
root=$(realpath "$(dirname "$0")/../..")
percale=$(realpath "${1:-$root/target/release/percale}")
for tool in slurmctld slurmd sbatch munged; do
    command -v "$tool" >/dev/null || { echo "skipped: no $tool (packages slurm-wlm and munge)"; exit 0; }
done
work=$(mktemp -d)
host=$(hostname -s)
chmod 755 "$work"
mkdir -p "$work/state" "$work/spool"
memory=$(awk '/MemTotal/ { print int($2 / 1024 * 0.9) }' /proc/meminfo)
cat >"$work/slurm.conf" <<EOF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
KillWait=10
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) RealMemory=$memory State=UNKNOWN
PartitionName=night Nodes=$host Default=YES MaxTime=INFINITE State=UP PriorityTier=1 PreemptMode=REQUEUE GraceTime=60
PartitionName=urgent Nodes=$host MaxTime=INFINITE State=UP PriorityTier=10 PreemptMode=OFF
EOF
export SLURM_CONF=$work/slurm.conf
munge=
stop() {
    code=$?
    # Each removes its files as it ends: waited for, lest it takes one away under rm.
    for pid in $(cat "$work"/slurm*.pid) $munge; do
        kill "$pid" 2>/dev/null || true
        timeout 30 tail --pid="$pid" -f /dev/null || echo "$pid still runs"
    done
    # What failed stays to be looked at.
    if [ "$code" = 0 ]; then rm -rf "$work" || true; else echo "see $work"; fi
}
trap stop EXIT
if [ ! -S /run/munge/munge.socket.2 ]; then
    mkdir -p /run/munge
    chown munge:munge /run/munge
    su -s /bin/sh munge -c /usr/sbin/munged
    munge=$(cat /run/munge/munged.pid)
fi
slurmctld -c -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
until sinfo -h -o %T | grep -q idle; do sleep 0.5; done

cat >"$work/fall.toml" <<EOF
[time]
frames = 300
step = "1 ms"
[[cloth]]
name = "sheet"
mesh = "$root/meshes/sheet_1m_50.ply"
transform = { translate = [0, 0.6, 0], rotate = { axis = [1, 0, 0], angle = "3 deg" } }
[[obstacle]]
name = "ball"
sphere = { center = [0, 0.25, 0], radius = 0.25 }
[preview]
width = 160
height = 90
samples = 2
every = 13
EOF
cat >"$work/sweep.toml" <<EOF
scene = "fall.toml"
# The first is long, since Slurm takes some seconds to preempt it, and is to be in the midst of it then.
[keys]
"time.frames" = [300, 40]
EOF
out="$work/with space's"
cases=$("$percale" sweep "$work/sweep.toml" --engine slurm --threads "$(nproc)" --out "$out" | tee /dev/stderr |
    sed -n 's/.* as job \([0-9]*\),.*/\1/p')
wait_for() { # what, seconds, command
    for _ in $(seq "$2"); do
        if eval "$3" >/dev/null 2>&1; then return; fi
        sleep 1
    done
    echo "failed: $1 after $2 s"
    squeue || true
    tail -n 20 "$out"/log/* || true
    exit 1
}
frames() { wc -l <"$out/$1/stats.ndjson"; }
wait_for "frames of case 1" 120 '[ "$(frames 0001)" -ge 4 ]'
# The whole node is asked for where it counts more.
sbatch --parsable --partition=urgent --exclusive --output=/dev/null --wrap 'sleep 3' >/dev/null
wait_for "a checkpoint" 90 'grep -q "stopped" "$out/0001/run.json"'
before=$(frames 0001)
wait_for "queued again" 60 'squeue -h -r -j "$cases" -o "%K %T %r" | grep -q "^1 PENDING"'
# Slurm holds what is queued again for two minutes.
wait_for "released" 60 'scontrol update JobId="${cases}_1" StartTime=now'
wait_for "all cases" 600 '[ "$(grep -l "\"finished\"" "$out"/000?/run.json | wc -l)" = 2 ]'
grep -q "goes on after frame" "$out/log/simulate.1.log"
[ "$(frames 0001)" = 300 ]
wait_for "pictures" 120 '[ -f "$out/0001/preview/frame.0300.png" ] && [ -f "$out/0002/preview/frame.0040.png" ]'
wait_for "tables" 120 '[ "$(grep -c finished "$out/results.csv")" = 2 ] && [ -s "$out/sheet.png" ]'
# The same bits as without a stop.
"$percale" run "$work/fall.toml" --no-preview --progress none --out "$work/whole"
"$percale" compare "$work/whole" "$out/0001" --only meshes --threshold 0 --maximum 0
echo "case 1 was preempted after frame $before of 300, went on, and ended with the same bits"
