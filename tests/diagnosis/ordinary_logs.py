"""Ordinary logs, with much variety: starts, planned stops, rotation and daily work, in which nothing is wrong.

The lines are such as these programs print on healthy machines; names and figures are made up.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

BOOT: Final = """\
Linux version 5.14.0-427.18.1.el9_4.x86_64 (mockbuild@builder) (gcc (GCC) 11.4.1, GNU ld version 2.35.2-43) #1 SMP
Command line: BOOT_IMAGE=(hd0,gpt2)/vmlinuz root=/dev/mapper/sys-root ro crashkernel=1G-4G:192M errors=panic
x86/fpu: Supporting XSAVE feature 0x001: 'x87 floating point registers'
BIOS-provided physical RAM map:
BIOS-e820: [mem 0x0000000000000000-0x000000000009ffff] usable
NX (Execute Disable) protection: active
SMBIOS 3.2.0 present.
DMI: Maker X11/Board, BIOS 2.4 01/17/2030
tsc: Detected {n} MHz processor
e820: update [mem 0x00000000-0x00000fff] usable ==> reserved
ACPI: RSDP 0x00000000000F05B0 000024 (v02 ALASKA)
ACPI: Early table checksum verification disabled
ACPI BIOS Warning (bug): 32/64X length mismatch in FADT/Gpe0Block: 128/32 (20211217/tbfadt-564)
ACPI Error: No handler for Region [SYSI] (IPMI) (20211217/evregion-130)
NUMA: Node 0 [mem 0x00000000-0x7fffffff] + [mem 0x100000000-0x207fffffff] -> [mem 0x00000000-0x207fffffff]
Zone ranges:
Booting paravirtualized kernel on bare hardware
setup_percpu: NR_CPUS:8192 nr_cpumask_bits:{n} nr_cpu_ids:{n} nr_node_ids:2
Kernel command line: BOOT_IMAGE=/vmlinuz root=/dev/sda2 panic=30 rd.lvm.lv=sys/root
Dentry cache hash table entries: 8388608 (order: 14, 67108864 bytes, linear)
mem auto-init: stack:off, heap alloc:off, heap free:off
Memory: 131234{n}K/134182{n}K available (14344K kernel code, 5596K rwdata)
SLUB: HWalign=64, Order=0-3, MinObjects=0, CPUs={n}, Nodes=2
rcu: Hierarchical RCU implementation.
rcu: \tRCU restricting CPUs from NR_CPUS=8192 to nr_cpu_ids={n}.
rcu: RCU calculated value of scheduler-enlistment delay is 100 jiffies.
random: crng init done
Console: colour VGA+ 80x25
mce: CPU0: Thermal monitoring enabled (TM1)
mce: [Firmware Bug]: Your BIOS is not setting up LMCE; some machine checks are handled by all CPUs
MCE: In-kernel MCE decoding enabled.
process: using mwait in idle threads
Last level iTLB entries: 4KB 64, 2MB 8, 4MB 8
Spectre V2 : Mitigation: Enhanced IBRS
MDS: Vulnerable: Clear CPU buffers attempted, no microcode
smpboot: CPU0: Intel(R) Xeon(R) Gold 6230 CPU @ 2.10GHz (family: 0x6, model: 0x55)
Performance Events: PEBS fmt3+, Skylake events, 32-deep LBR, full-width counters
NMI watchdog: Enabled. Permanently consumes one hw-PMU counter.
smp: Brought up 2 nodes, {n} CPUs
devtmpfs: initialized
PM: Registering ACPI NVS region [mem 0x6a2b1000-0x6a330fff]
clocksource: jiffies: mask: 0xffffffff max_cycles: 0xffffffff
NET: Registered PF_NETLINK/PF_ROUTE protocol family
DMA: preallocated 4096 KiB GFP_KERNEL pool for atomic allocations
audit: initializing netlink subsys (disabled)
thermal_sys: Registered thermal governor 'fair_share'
cpuidle: using governor menu
PCI: MMCONFIG for domain 0000 [bus 00-ff] at [mem 0x80000000-0x8fffffff]
PCI: not using MMCONFIG
HugeTLB: registered 1.00 GiB page size, pre-allocated 0 pages
cryptd: max_cpu_qlen set to 1000
ACPI: bus type PCI registered
ACPI: Enabled 5 GPEs in block 00 to 7F
pci 0000:00:1c.0: PME# supported from D0 D3hot D3cold
pci 0000:18:00.0: BAR 7: failed to assign [mem size 0x00100000]
pci 0000:00:1f.6: reg 0x10: [mem 0xaa000000-0xaa01ffff]
pcieport 0000:00:1c.0: PME: Signaling with IRQ 24
pcieport 0000:00:1c.0: AER: enabled with IRQ 24
pcieport 0000:17:02.0: pciehp: Slot #2 AttnBtn- PwrCtrl- MRL- AttnInd- PwrInd- HotPlug+ Surprise+ Interlock- NoCompl-
iommu: Default domain type: Passthrough
SCSI subsystem initialized
libata version 3.00 loaded.
vgaarb: loaded
EDAC MC: Ver: 3.0.0
EDAC MC0: Giving out device to module skx_edac controller Skylake Socket#0 IMC#0: DEV 0000:3a:0a.0 (INTERRUPT)
NetLabel: Initializing
clocksource: Switched to clocksource tsc-early
clocksource: tsc: mask: 0xffffffffffffffff max_cycles: 0x1e34a2d0a47, max_idle_ns: 440795256120 ns
VFS: Disk quotas dquot_6.6.0
pnp: PnP ACPI init
TCP established hash table entries: 524288 (order: 10, 4194304 bytes, vmalloc)
TCP: Hash tables configured (established 524288 bind 65536)
UDP hash table entries: 65536 (order: 9, 2097152 bytes)
Unpacking initramfs...
Initialise system trusted keyrings
workingset: timestamp_bits=36 max_order=25 bucket_order=0
zbud: loaded
integrity: Platform Keyring initialized
Block layer SCSI generic (bsg) driver version 0.4 loaded (major 246)
io scheduler mq-deadline registered
shpchp: Standard Hot Plug PCI Controller Driver version: 0.4
ERST: Error Record Serialization Table (ERST) support is initialized.
GHES: APEI firmware first mode is enabled by APEI bit and WHEA _OSC.
HEST: Table parsing has been initialized.
Serial: 8250/16550 driver, 4 ports, IRQ sharing enabled
serial8250: ttyS0 at I/O 0x3f8 (irq = 4, base_baud = 115200) is a 16550A
Non-volatile memory driver v1.3
tpm_tis MSFT0101:00: 2.0 TPM (device-id 0x1B, rev-id 16)
tpm tpm0: A TPM error (256) occurred attempting the self test
tpm tpm0: starting up the TPM manually
libphy: Fixed MDIO Bus: probed
usbcore: registered new interface driver hub
ehci_hcd: USB 2.0 'Enhanced' Host Controller (EHCI) Driver
xhci_hcd 0000:00:14.0: xHCI Host Controller
xhci_hcd 0000:00:14.0: hcc params 0x200077c1 hci version 0x100 quirks 0x0000000000009810
usb usb1: New USB device found, idVendor=1d6b, idProduct=0002, bcdDevice= 5.14
usb 1-14: new high-speed USB device number 3 using xhci_hcd
usb 1-14.1: device descriptor read/64, error -71
usb 1-14: USB disconnect, device number 3
hub 1-0:1.0: USB hub found
i8042: PNP: No PS/2 controller found.
mousedev: PS/2 mouse device common for all mice
rtc_cmos 00:00: registered as rtc0
rtc_cmos 00:00: setting system clock to 2031-03-09T04:12:01 UTC (1930709521)
iTCO_wdt iTCO_wdt: unable to reset NO_REBOOT flag, device disabled by hardware/BIOS
intel_pstate: Intel P-state driver initializing
hid: raw HID events driver (C) Jiri Kosina
hid-generic 0003:0557:2419.0001: input,hidraw0: USB HID v1.00 Keyboard [HID 0557:2419] on usb-0000:00:14.0-14.1/input0
drop_monitor: Initializing network drop monitor service
Segment Routing with IPv6
microcode: microcode updated early to revision 0x5003604, date = 2030-02-25
microcode: Microcode Update Driver: v2.2.
IPI shorthand broadcast: enabled
registered taskstats version 1
Loading compiled-in X.509 certificates
Key type encrypted registered
ima: Allocated hash algorithm: sha256
PM:   Magic number: 9:{n}:{n}
Freeing unused kernel image (initmem) memory: 2792K
Write protecting the kernel read-only data: 26624k
Run /init as init process
systemd[1]: systemd 252-32.el9_4.2 running in system mode (+PAM +AUDIT +SELINUX)
systemd[1]: Detected architecture x86-64.
systemd[1]: Hostname set to <{h}>.
systemd[1]: Queued start job for default target Initrd Default Target.
systemd[1]: Failed to find module 'autofs4'
systemd[1]: sys-module-fuse.device: Failed to enqueue SYSTEMD_WANTS= job, ignoring: Unit not found
device-mapper: core: CONFIG_IMA_DISABLE_HTABLE is disabled. Duplicate IMA measurements will not be recorded.
device-mapper: uevent: version 1.0.3
device-mapper: ioctl: 4.48.0-ioctl (2023-03-01) initialised: dm-devel@example.org
device-mapper: multipath service-time: version 0.3.0 loaded
device-mapper: multipath round-robin: version 1.2.0 loaded
device-mapper: multipath: 253:{n}: Adding path 8:{n}
ahci 0000:00:11.5: AHCI 0001.0301 32 slots 6 ports 6 Gbps 0x3f impl SATA mode
ahci 0000:00:11.5: flags: 64bit ncq sntf pm led clo only pio slum part ems deso sadm sds apst
scsi host0: ahci
ata1: SATA max UDMA/133 abar m524288@0x92f00000 port 0x92f00100 irq 31
ata1: SATA link up 6.0 Gbps (SStatus 133 SControl 300)
ata2: SATA link down (SStatus 0 SControl 300)
ata1.00: supports DRM functions and may not be fully accessible
ata1.00: ATA-11: MAKER MTFDDAK480TDS, D3MU001, max UDMA/133
ata1.00: 937703088 sectors, multi 16: LBA48 NCQ (depth 32), AA
ata1.00: configured for UDMA/133
ata3: failed to resume link (SControl 0)
scsi 0:0:0:0: Direct-Access     ATA      MTFDDAK480TDS    U001 PQ: 0 ANSI: 5
sd 0:0:0:0: [sda] 937703088 512-byte logical blocks: (480 GB/447 GiB)
sd 0:0:0:0: [sda] Write Protect is off
sd 0:0:0:0: [sda] Mode Sense: 00 3a 00 00
sd 0:0:0:0: [sda] Write cache: enabled, read cache: enabled, doesn't support DPO or FUA
sd 0:0:0:0: [sda] Preferred minimum I/O size 4096 bytes
sd 0:0:0:0: [sda] Attached SCSI disk
sd 2:0:1:{n}: Power-on or device reset occurred
sd 2:0:1:{n}: [sdk] Optimal transfer size 1048576 bytes
sd 2:0:1:{n}: alua: port group 01 state A preferred supports tolUSNA
sd 2:0:1:{n}: Asymmetric access state changed
sd 2:0:1:{n}: LUN assignments on this target have changed. The Linux SCSI layer does not automatically remap LUN
sd 2:0:1:{n}: Inquiry data has changed
sd 2:0:1:{n}: Mode parameters changed
scsi 2:0:1:{n}: Direct-Access     MAKER    LUN C-Mode       9900 PQ: 0 ANSI: 5
sr 5:0:0:0: [sr0] scsi3-mmc drive: 24x/24x writer dvd-ram cd/rw xa/form2 cdda tray
ses 3:0:8:0: Attached Enclosure device
ses 3:0:8:0: Failed to get diagnostic page 0x1
sd 5:0:0:0: [sdz] Test WP failed, assume Write Enabled
sd 5:0:0:0: [sdz] No Caching mode page found
sd 5:0:0:0: [sdz] Assuming drive cache: write through
megaraid_sas 0000:18:00.0: BAR:0x1  BAR's base_addr(phys):0x0000000091900000
megaraid_sas 0000:18:00.0: FW now in Ready state
megaraid_sas 0000:18:00.0: Init cmd return status SUCCESS for SCSI host 0
megaraid_sas 0000:18:00.0: firmware crash dump : no
megaraid_sas 0000:18:00.0: {n} (7{n}s/0x0020/info) - Patrol Read complete
mpt3sas version 43.100.00.00 loaded
mpt3sas_cm0: 64 BIT PCI BUS DMA ADDRESSING SUPPORTED, total mem (131{n} kB)
mpt3sas_cm0: CurrentHostPageSize is 0: Setting default host page size to 4k
mpt3sas_cm0: sending port enable !!
mpt3sas_cm0: port enable: SUCCESS
mpt3sas_cm0: log_info(0x31110e05): originator(PL), code(0x11), sub_code(0x0e05)
qla2xxx [0000:00:00.0]-0005: : QLogic Fibre Channel HBA Driver: 10.02.08.200-k.
qla2xxx [0000:3b:00.0]-001d: : Found an ISP2532 irq 64 iobase 0xffff
qla2xxx [0000:3b:00.0]-500a:1: LOOP UP detected (16 Gbps).
qla2xxx [0000:3b:00.0]-00fb:1: QLogic QLE2690 - QLogic 16Gb FC Single-port HBA.
lpfc 0000:5e:00.0: 0:1303 Link Up Event x1 received Data: x1 x0 x80 x0 x0 x0 0
lpfc 0000:5e:00.0: 0:6468 lpfc_hba_setup: Adapter is ready
lpfc 0000:5e:00.0: 0:3176 Port Name 0 Physical Link is functional
rport-2:0-1: New FC remote port
nvme nvme0: pci function 0000:d8:00.0
nvme nvme0: {n}/0/0 default/read/poll queues
nvme nvme0: Shutdown timeout set to 10 seconds
nvme nvme0: missing or invalid SUBNQN field.
nvme nvme1: Identify Descriptors failed (nsid=1, status=0x2)
 nvme0n1: p1 p2 p3
 sda: sda1 sda2 sda3
e1000e: Intel(R) PRO/1000 Network Driver
e1000e 0000:00:1f.6 0000:00:1f.6 (uninitialized): registered PHC clock
igb 0000:04:00.0: added PHC on eth0
igb 0000:04:00.0 eno1: renamed from eth0
igb 0000:04:00.0 eno1: igb: eno1 NIC Link is Up 1000 Mbps Full Duplex, Flow Control: RX
ixgbe 0000:3d:00.1: registered PHC device on eth3
ixgbe 0000:3d:00.0: Multiqueue Enabled: Rx Queue count = 63, Tx Queue count = 63 XDP Queue count = 0
ixgbe 0000:3d:00.0 ens3f0: NIC Link is Up 10 Gbps, Flow Control: RX/TX
ixgbe 0000:3d:00.0 ens3f0: detected SFP+: 5
i40e 0000:60:00.0: The driver for the device detected a newer version of the NVM image v1.15 than expected v1.9.
i40e 0000:60:00.0: FW LLDP is enabled
i40e 0000:60:00.0 ens5f0: NIC Link is Up, 25 Gbps Full Duplex, Requested FEC: CL108/CL74, Negotiated FEC: None
ice 0000:98:00.0: DCB init failed
ice 0000:98:00.0: The DDP package was successfully loaded: ICE OS Default Package version 1.3.35.0
mlx5_core 0000:af:00.0: firmware version: 16.35.3006
mlx5_core 0000:af:00.0: Port module event: module 0, Cable plugged
mlx5_core 0000:af:00.0: E-Switch: Total vports 2, per vport: max uc(128) max mc(2048)
mlx5_core 0000:af:00.0 ens6f0np0: Link up
mlx5_core 0000:af:00.0: MLX5E: StrdRq(1) RqSz(8) StrdSz(2048) RxCqeCmprss(0 basic)
bnxt_en 0000:1a:00.0 eth4: Broadcom BCM57414 NetXtreme-E 10Gb/25Gb Ethernet found at mem a5a10000
bnxt_en 0000:1a:00.0 eno2: NIC Link is Up, 25000 Mbps full duplex, Flow control: none
tg3 0000:01:00.0 eth0: Link is up at 1000 Mbps, full duplex
tg3 0000:01:00.0 eth0: Flow control is on for TX and on for RX
tg3 0000:01:00.0 eth0: EEE is disabled
be2net 0000:0c:00.0 eth6: Link is Up
vmxnet3 0000:0b:00.0 ens192: NIC Link is Up 10000 Mbps
vmxnet3 0000:0b:00.0 ens192: intr type 3, mode 0, 9 vectors allocated
virtio_net virtio0 enp1s0: renamed from eth0
bonding: bond0 is being created...
bond0: (slave ens3f0): Enslaving as a backup interface with an up link
bond0: (slave ens3f0): link status definitely up, 10000 Mbps full duplex
bond0: (slave ens3f0): making interface the new active one
bond0: active interface up!
IPv6: ADDRCONF(NETDEV_CHANGE): bond0: link becomes ready
IPv6: ADDRCONF(NETDEV_UP): eno1: link is not ready
8021q: 802.1Q VLAN Support v1.8
8021q: adding VLAN 0 to HW filter on device bond0
bridge: filtering via arp/ip/ip6tables is no longer available by default. Update your scripts to load br_netfilter
virbr0: port 1(vnet0) entered blocking state
virbr0: port 1(vnet0) entered disabled state
virbr0: port 1(vnet0) entered forwarding state
device vnet0 entered promiscuous mode
device vnet0 left promiscuous mode
infiniband mlx5_0: ib_query_port failed (-19) before the device was ready, retried
ib_isert: isert registered
iscsi: registered transport (tcp)
scsi host6: iSCSI Initiator over TCP/IP
Loading iSCSI transport class v2.0-870.
md: raid1 personality registered for level 1
md/raid1:md127: active with 2 out of 2 mirrors
md127: detected capacity change from 0 to 936640512
md: data-check of RAID array md127
md: md127: data-check done.
raid6: using algorithm avx512x2 gen() 32{n} MB/s
raid6: .... xor() 24{n} MB/s, rmw enabled
xor: automatically using best checksumming function   avx
Btrfs loaded, crc32c=crc32c-generic, zoned=yes, fsverity=yes
SGI XFS with ACLs, security attributes, scrub, quota, no debug enabled
XFS (dm-0): Mounting V5 Filesystem
XFS (dm-0): Ending clean mount
XFS (dm-0): Starting recovery (logdev: internal)
XFS (dm-0): Ending recovery (logdev: internal)
XFS (sda1): Unmounting Filesystem
xfs filesystem being mounted at /var supports timestamps until 2038 (0x7fffffff)
EXT4-fs (sda1): mounted filesystem with ordered data mode. Quota mode: none. Opts: errors=remount-ro
EXT4-fs (sda1): re-mounted. Opts: (null). Quota mode: none.
EXT4-fs (dm-3): recovery complete
EXT4-fs (dm-3): 2 orphan inodes deleted
FAT-fs (sda1): Volume was not properly unmounted. Some data may be corrupt. Please run fsck.
Kernel is locked down from EFI Secure Boot; see man kernel_lockdown.7
There is already a security framework initialized, register_security failed.
fuse: init (API version 7.36)
RPC: Registered named UNIX socket transport module.
FS-Cache: Loaded
NFS: Registering the id_resolver key type
NFSD: Using nfsdcld client tracking operations.
NFSD: no clients to reclaim, skipping NFSv4 grace period (net f0000098)
nfsd: last server has exited, flushing export cache
SELinux:  policy capability network_peer_controls=1
audit: type=1403 audit(1930709525.316:2): lsm=selinux res=1
audit: type=1400 audit(1930709999.316:77): avc:  denied  {{ read }} for  pid=2211 comm="snmpd" name="mdstat"
ipmi_si IPI0001:00: ipmi_platform: probing via ACPI
ipmi_si dmi-ipmi-si.0: Error clearing flags: cc
ipmi device interface
ACPI: Power Button [PWRF]
EDAC skx MC0: HANDLING MCE MEMORY ERROR is off
power_meter ACPI000D:00: Found ACPI power meter.
power_meter ACPI000D:00: Ignoring unsafe software power cap!
dca service started, version 1.12.1
ioatdma: Intel(R) QuickData Technology Driver 5.00
RAPL PMU: API unit is 2^-32 Joules, 2 fixed counters, 655360 ms ovfl timer
kvm: VMX supported (TPR shadow EPT VPID)
kvm [3012]: vcpu0, guest rIP: 0xffffffff9d06b4c4 unhandled rdmsr: 0x140
L1TF CPU bug present and SMT on, data leak possible. See CVE-2018-3646 for details.
input: PC Speaker as /devices/platform/pcspkr/input/input5
Adding 16777212k swap on /dev/mapper/sys-swap.  Priority:-2 extents:1 across:16777212k
TECH PREVIEW: eBPF syscall may not be fully supported.
Warning: Unmaintained driver is detected: ip_tables
nf_conntrack version 0.5.0 (65536 buckets, 262144 max)
nf_conntrack: default automatic helper assignment has been turned off for security reasons
Netfilter messages via NETLINK v0.30.
ip_set: protocol 7
IPv6: ens192: IPv6 privacy extensions are off
perf: interrupt took too long (2{n} > 2500), lowering kernel.perf_event_max_sample_rate to 78000
perf: interrupt took too long (3{n} > 3156), lowering kernel.perf_event_max_sample_rate to 63000
hrtimer: interrupt took 4{n} ns
TCP: eth0: Driver has suspect GRO implementation, TCP performance may be compromised.
process `sysctl' is using deprecated sysctl (syscall) net.ipv6.neigh.eth0.retrans_time
nvidia: loading out-of-tree module taints kernel.
mmfslinux: loading out-of-tree module taints kernel.
mmfslinux: module verification failed: signature and/or required key missing - tainting kernel
vxfs: module license 'Proprietary. Send bug reports to support' taints kernel.
Disabling lock debugging due to kernel taint
systemd-journald[{n}]: Received SIGTERM from PID 1 (systemd).
overlayfs: upper fs does not support RENAME_WHITEOUT.
cgroup: cgroup: disabling cgroup2 socket matching due to net_prio or net_cls activation
bpfilter: Loaded bpfilter_umh pid {n}
CPU{n}: Core temperature/speed normal
mce: CPU{n}: Package temperature/speed normal
sched: RT throttling activated
usb 2-1: reset high-speed USB device number 2 using ehci-pci
hpet: hpet0: at MMIO 0xfed00000, IRQs 2, 8, 0, 0, 0, 0, 0, 0
python3[{n}]: segfault at 0 ip 00007f21a3c5 sp 00007ffd8 error 4 in libc.so.6[7f21a3a00000+175000]
traps: worker[{n}] trap int3 ip:55f2a1 sp:7ffc9b error:0 in worker[55f2a0+2000]
systemd-shutdown[1]: Sending SIGTERM to remaining processes...
systemd-shutdown[1]: All filesystems unmounted.
reboot: Restarting system
kexec_core: Starting new kernel
dlm: Using TCP for communications
DLM installed
GFS2 installed
gfs2: GFS2 (built Mar  1 2031 12:00:00) installed
dlm: connecting to 2
dlm: got connection from 2
dlm: sal: joining the lockspace group...
dlm: sal: group event done 0
dlm: sal: dlm_recover 1
dlm: sal: add member 1
dlm: sal: dlm_recover_members 3 nodes
dlm: sal: generation 1 slots 3 1:1 2:2 3:3
dlm: sal: dlm_recover_directory
dlm: sal: dlm_recover_directory 12 in 4 new
dlm: sal: dlm_recover_directory 0 out 0 messages
dlm: sal: dlm_recover 1 generation 1 done: {n} ms
dlm: sal: join complete
dlm: sal: leaving the lockspace group...
dlm: closing connection to node 2
gfs2: fsid=fjord:sal: Trying to join cluster "lock_dlm", "fjord:sal"
gfs2: fsid=fjord:sal: Joined cluster. Now mounting FS (format 1802)...
gfs2: fsid=fjord:sal.1: first mounter control generation 0
gfs2: fsid=fjord:sal.1: journal 1 mapped with 1 extents in 0ms
gfs2: fsid=fjord:sal.1: jid=1, already locked for use
gfs2: fsid=fjord:sal.1: jid=1: Looking at journal...
gfs2: fsid=fjord:sal.1: jid=1: Journal head lookup took {n}ms
gfs2: fsid=fjord:sal.1: jid=1: Done
gfs2: fsid=fjord:sal.1: first mount done, others may mount
gfs2: fsid=fjord:sal.1: recover generation 2 done
platform regulatory.0: Direct firmware load for regulatory.db failed with error -2
cfg80211: failed to load regulatory.db
integrity: Problem loading X.509 certificate -126
integrity: Couldn't get size: 0x800000000000000e
MODSIGN: Couldn't get UEFI db list
Couldn't get size: 0x800000000000000e
i2c_i801 0000:00:1f.4: SPD Write Disable is set
lpc_ich 0000:00:1f.0: No MFD cells added
lpc_ich: Resource conflict(s) found affecting gpio_ich
ioapic: probe of 0000:00:05.4 failed with error -22
intel_rapl_common: Found RAPL domain package
mei_me 0000:00:16.0: wait hw ready failed
mei_me 0000:00:16.0: hw_start failed ret = -62
x86/cpu: SGX disabled by BIOS.
kvm: disabled by bios
ipmi_si: Unable to find any System Interface(s)
piix4_smbus 0000:00:07.3: SMBus Host Controller not enabled!
Error: Driver 'pcspkr' is already registered, aborting...
[drm:vmw_host_printf [vmwgfx]] *ERROR* Failed to send host log message.
vmwgfx 0000:00:0f.0: [drm] *ERROR* Failed to send host log message.
mgag200 0000:03:00.0: vgaarb: deactivate vga console
nouveau 0000:03:00.0: DRM: failed to create kernel channel, -22
snd_hda_intel 0000:00:1f.3: Cannot probe codecs, giving up
blk_update_request: I/O error, dev fd0, sector 0 op 0x0:(READ) flags 0x0 phys_seg 1 prio class 0
end_request: I/O error, dev fd0, sector 0
Buffer I/O error on dev fd0, logical block 0, async page read
floppy: error 10 while reading block 0
sr 5:0:0:0: [sr0] tag#10 FAILED Result: hostbyte=DID_OK driverbyte=DRIVER_OK cmd_age=0s
sr 5:0:0:0: [sr0] tag#10 Sense Key : Not Ready [current]
sr 5:0:0:0: [sr0] tag#10 Add. Sense: Medium not present
Buffer I/O error on dev sr0, logical block 0, async page read
sd 2:0:1:{n}: [sdk] tag#0 Sense Key : Not Ready [current]
sd 2:0:1:{n}: [sdk] tag#0 Add. Sense: Logical unit not accessible, target port in standby state
sd 2:0:1:{n}: [sdk] tag#0 Sense Key : Unit Attention [current]
sd 2:0:1:{n}: [sdk] Very big device. Trying to use READ CAPACITY(16).
NFSD: starting 90-second grace period (net f0000098)
net_ratelimit: {n} callbacks suppressed
request_sock_TCP: Possible SYN flooding on port 443. Sending cookies.
TCP: request_sock_TCP: Possible SYN flooding on port 10.2.8.4:8080. Sending cookies.
xhci_hcd 0000:00:14.0: WARN Event TRB for slot 3 ep 2 with no TDs queued?
efi: Failed to lookup EFI memory descriptor for 0x0000000078f4d000
pstore: Registered erst as persistent store backend
tsc: Fast TSC calibration failed
clocksource: timekeeping watchdog on CPU{n}: hpet wd-wd read-back delay of 91{n}ns
random: 7 urandom warning(s) missed due to ratelimiting
Unstable clock detected, switching default tracing clock to "global"
resource sanity check: requesting [mem 0x000c0000-0x000fffff], which spans more than PCI Bus 0000:00
ERST DBG: ERST support is disabled.
GHES: HEST is not enabled!
EINJ: Error INJection is initialized.
systemd-fstab-generator[{n}]: Failed to create unit file, as it already exists. Duplicate entry in /etc/fstab?
systemd-modules-load[{n}]: Failed to find module 'vhba'
dracut-pre-udev[{n}]: rpc.idmapd: conf_reinit: open ("(null)", O_RDONLY) failed
ixgbe 0000:3d:00.0 ens3f0: NIC Link is Down
ixgbe 0000:3d:00.0 ens3f0: NIC Link is Up 10 Gbps, Flow Control: RX/TX
mlx5_core 0000:af:00.0: mlx5_pcie_event:301:(pid {n}): PCIe slot advertised sufficient power (27W).
mlx5_core 0000:af:00.0: Rate limit: 127 rates are supported, range: 0Mbps to 97656Mbps
i40e 0000:60:00.0: Using FDIR, FW error reporting is on
i40e 0000:60:00.0 ens5f0: failed to get the SFP module type, no module in the cage
hpsa 0000:03:00.0: can't disable ASPM; OS doesn't have ASPM control
qla2xxx [0000:3b:00.0]-0122:1: skipping scsi_scan_host() for non-initiator port
dracut: Switching root
XFS (dm-2): Quotacheck needed: Please wait.
XFS (dm-2): Quotacheck: Done.
EXT4-fs (sda1): warning: maximal mount count reached, running e2fsck is recommended
ext4 filesystem being mounted at /boot supports timestamps until 2038
"""
DAEMONS: Final = """\
systemd[1]: Started Session {n} of User root.
systemd[1]: Starting Cleanup of Temporary Directories...
systemd[1]: systemd-tmpfiles-clean.service: Deactivated successfully.
systemd[1]: logrotate.service: Succeeded.
systemd[1]: Finished Rotate log files.
systemd[1]: Stopping Shared Storage Fencing Daemon...
systemd[1]: sysstat-collect.service: Consumed 1.0{n}s CPU time.
systemd[1]: rngd.service: Main process exited, code=exited, status=1/FAILURE
systemd[1]: Failed to start Crash recovery kernel arming.
systemd[1]: mcelog.service: Failed with result 'exit-code'.
systemd-logind[{n}]: New session {n} of user mala.
systemd-resolved[{n}]: Server returned error NXDOMAIN, mitigating potential DNS violation
systemd-udevd[{n}]: sdk: Process '/usr/bin/unshare -m' failed with exit code 1.
sshd[{n}]: Accepted publickey for mala from 10.2.8.{n} port 5{n} ssh2: RSA SHA256:abcd
sshd[{n}]: pam_unix(sshd:session): session opened for user mala by (uid=0)
sshd[{n}]: error: kex_exchange_identification: Connection closed by remote host
sshd[{n}]: fatal: Timeout before authentication for 10.2.8.{n} port 4{n}
sshd[{n}]: error: maximum authentication attempts exceeded for root from 10.2.8.{n} port 6{n} ssh2 [preauth]
CROND[{n}]: (root) CMD (run-parts /etc/cron.hourly)
crond[{n}]: (CRON) INFO (running with inotify support)
run-parts[{n}]: (/etc/cron.hourly) finished 0anacron
anacron[{n}]: Job `cron.daily' terminated
NetworkManager[{n}]: <info>  [1930709530.1120] device (ens3f0): carrier: link connected
NetworkManager[{n}]: <info>  [1930709530.2231] device (bond0): Activation: successful, device activated.
NetworkManager[{n}]: <warn>  [1930709530.2231] dhcp4 (eno4): request timed out
dhclient[{n}]: DHCPACK from 10.2.8.1 (xid=0x5{n})
chronyd[{n}]: Selected source 10.2.0.5
chronyd[{n}]: System clock was stepped by 0.00{n} seconds
chronyd[{n}]: Can't synchronise: no selectable sources
ntpd[{n}]: time reset +0.18{n} s
rsyslogd: [origin software="rsyslogd" swVersion="8.2310.0"] rsyslogd was HUPed
rsyslogd: imjournal: journal files changed, reloading...
rsyslogd: imjournal: {n} messages lost due to rate-limiting (20000 allowed within 600 seconds)
journal: Suppressed {n} messages from sshd.service
auditd[{n}]: Audit daemon rotating log files
dbus-daemon[{n}]: [system] Successfully activated service 'org.freedesktop.hostname1'
polkitd[{n}]: Registered Authentication Agent for unix-process:{n}:99
postfix/smtp[{n}]: 4XyZ: to=<ops@example.org>, status=deferred (connect to mx: Connection timed out)
snmpd[{n}]: Connection from UDP: [10.2.1.9]:5{n}->[10.2.8.4]:161
puppet-agent[{n}]: Applied catalog in 12.4{n} seconds
su[{n}]: pam_unix(su-l:session): session closed for user oracle
sudo[{n}]:     mala : TTY=pts/1 ; PWD=/home/mala ; USER=root ; COMMAND=/usr/bin/pcs status
dnf[{n}]: Metadata cache refreshed recently.
rpc.statd[{n}]: Version 2.5.4 starting
rpc.mountd[{n}]: authenticated mount request from 10.2.8.{n}:8{n} for /export (/export)
sm-notify[{n}]: Version 2.5.4 starting
irqbalance[{n}]: thermal: no zone found
smartd[{n}]: Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 68 to 67
smartd[{n}]: Device: /dev/sda [SAT], is SMART capable. Adding to "monitor" list.
smartd[{n}]: Device: /dev/sda [SAT], previous self-test completed without error
mdadm[{n}]: NewArray event detected on md device /dev/md127
mdadm[{n}]: RebuildStarted event detected on md device /dev/md127
mdadm[{n}]: RebuildFinished event detected on md device /dev/md127
mdadm[{n}]: SpareActive event detected on md device /dev/md127, component device /dev/sdb1
multipathd[{n}]: --------start up--------
multipathd[{n}]: read /etc/multipath.conf
multipathd[{n}]: path checkers start up
multipathd[{n}]: mpatha: load table [0 209715200 multipath 1 queue_if_no_path 1 alua 2 1 service-time 0 2 1]
multipathd[{n}]: mpatha: event checker started
multipathd[{n}]: mpatha [dm-2]: event
multipathd[{n}]: sdk [8:160]: path added to devmap mpatha
multipathd[{n}]: sda: blacklisted, udev property missing
multipathd[{n}]: mpatha: switch to path group #1
multipathd[{n}]: --------shut down-------
iscsid[{n}]: iSCSI daemon with pid={n} started!
iscsid[{n}]: Connection1:0 to [target: iqn.2030-01.org:t1, portal: 10.2.9.1,3260] is operational now
iscsid[{n}]: iscsid shutting down.
lvm[{n}]: PV /dev/sda3 online, VG sys is complete.
dlm_controld[{n}]: 12 dlm_controld 4.2.0 started
fwupd[{n}]: 04:12:44:0{n} FuEngine             failed to get releases for UEFI dbx: No releases found
"""
CLUSTER: Final = """\
corosync[{n}]:   [MAIN  ] Corosync Cluster Engine 3.1.8 starting up
corosync[{n}]:   [MAIN  ] Corosync built-in features: dbus systemd xmlconf snmp pie
corosync[{n}]:   [TOTEM ] Initializing transport (Kronosnet).
corosync[{n}]:   [TOTEM ] totemknet initialized
corosync[{n}]:   [KNET  ] pmtud: MTU manually set to: 0
corosync[{n}]:   [KNET  ] common: crypto_nss.so has been loaded from /usr/lib64/kronosnet/crypto_nss.so
corosync[{n}]:   [SERV  ] Service engine loaded: corosync configuration map access [0]
corosync[{n}]:   [QB    ] server name: cmap
corosync[{n}]:   [SERV  ] Service engine loaded: corosync cluster quorum service v0.1 [3]
corosync[{n}]:   [QUORUM] Using quorum provider corosync_votequorum
corosync[{n}]:   [VOTEQ ] Waiting for all cluster members. Current votes: 1 expected_votes: 3
corosync[{n}]:   [TOTEM ] Configuring link 0
corosync[{n}]:   [TOTEM ] Configured link number 0: local addr: 10.7.1.2, port=5405
corosync[{n}]:   [KNET  ] host: host: 1 (passive) best link: 0 (pri: 0)
corosync[{n}]:   [KNET  ] host: host: 1 has no active links
corosync[{n}]:   [KNET  ] rx: host: 1 link: 0 is up
corosync[{n}]:   [KNET  ] link: Resetting MTU for link 0 because host 1 joined
corosync[{n}]:   [KNET  ] host: host: 1 (passive) best link: 0 (pri: 1)
corosync[{n}]:   [KNET  ] pmtud: PMTUD link change for host: 1 link: 0 from 469 to 1397
corosync[{n}]:   [KNET  ] pmtud: Global data MTU changed to: 1397
corosync[{n}]:   [QUORUM] Sync members[3]: 1 2 3
corosync[{n}]:   [QUORUM] Sync joined[2]: 1 3
corosync[{n}]:   [TOTEM ] A new membership (1.{n}) was formed. Members joined: 1 3
corosync[{n}]:   [QUORUM] This node is within the primary component and will provide service.
corosync[{n}]:   [QUORUM] Members[3]: 1 2 3
corosync[{n}]:   [MAIN  ] Completed service synchronization, ready to provide service.
corosync[{n}]:   [WD    ] Watchdog not enabled by configuration
corosync[{n}]:   [CPG   ] downlist left_list: 0 received
pacemakerd[{n}]:  notice: Starting Pacemaker 2.1.7-4.el9
pacemakerd[{n}]:  notice: Pacemaker daemon successfully started and accepting connections
pacemaker-based[{n}]:  notice: Starting Pacemaker CIB manager
pacemaker-based[{n}]:  notice: Connecting to corosync cluster infrastructure
pacemaker-attrd[{n}]:  notice: Node {h} state is now member
pacemaker-attrd[{n}]:  notice: Setting #feature-set[{h}] in instance: (unset) -> 3.19.0
pacemaker-controld[{n}]:  notice: Quorum acquired
pacemaker-controld[{n}]:  notice: The local CRM is operational
pacemaker-controld[{n}]:  notice: State transition S_STARTING -> S_PENDING
pacemaker-controld[{n}]:  notice: State transition S_IDLE -> S_POLICY_ENGINE
pacemaker-controld[{n}]:  notice: Transition {n} (Complete=8, Pending=0, Fired=0, Skipped=0, Incomplete=0): Complete
pacemaker-controld[{n}]:  notice: Result of probe operation for sal_fs on {h}: not running
pacemaker-controld[{n}]:  notice: Result of start operation for sal_fs on {h}: ok
pacemaker-controld[{n}]:  notice: Result of monitor operation for sal_fs on {h}: ok
pacemaker-controld[{n}]:  notice: Result of stop operation for sal_fs on {h}: ok
pacemaker-controld[{n}]:  notice: Requesting local execution of start operation for sal_fs on {h}
pacemaker-controld[{n}]:  notice: Fencer successfully connected
pacemaker-controld[{n}]:  notice: Peer {h} has connected
pacemaker-controld[{n}]:  notice: High CPU load detected: 71.{n}
pacemaker-schedulerd[{n}]:  notice: On loss of quorum: Freeze resources that require quorum
pacemaker-schedulerd[{n}]:  notice: Actions: Start      sal_fs                ( {h} )
pacemaker-schedulerd[{n}]:  notice: Actions: Stop       sal_fs                ( {h} )  due to node availability
pacemaker-schedulerd[{n}]:  notice: Calculated transition {n}, saving inputs in pe-input-{n}.bz2
pacemaker-schedulerd[{n}]:  warning: Blind faith: not fencing unseen nodes
pacemaker-fenced[{n}]:  notice: Node {h} state is now member
pacemaker-fenced[{n}]:  notice: Added 'fence_{h}' to device list (1 active device)
pacemaker-fenced[{n}]:  notice: Watchdog functionality is consistent
pacemaker-execd[{n}]:  notice: executing - rsc:sal_fs action:start call_id:{n}
pacemaker-execd[{n}]:  notice: sal_fs start (call 14, PID {n}) exited with status 0 (execution time 1.2s)
Filesystem(sal_fs)[{n}]: INFO: Running start for /dev/mapper/sal on /srv/sal
pacemaker-controld[{n}]:  notice: Node {h} state is now lost
pacemaker-controld[{n}]:  notice: do_shutdown of peer {h} is complete
pacemaker-attrd[{n}]:  notice: Setting shutdown[{h}] in instance: (unset) -> 1930709530
pacemakerd[{n}]:  notice: Shutting down Pacemaker
pacemakerd[{n}]:  notice: Stopping pacemaker-controld
pacemakerd[{n}]:  notice: Shutdown complete
pacemaker-controld[{n}]:  notice: Caught 'Terminated' signal
pacemaker-controld[{n}]:  notice: Disconnected from the fencer
corosync[{n}]:   [CFG   ] Node 2 was shut down by sysadmin
corosync[{n}]:   [CFG   ] Node 1 was shut down by sysadmin
corosync[{n}]:   [SERV  ] Unloading all Corosync service engines.
corosync[{n}]:   [QB    ] withdrawing server sockets
corosync[{n}]:   [SERV  ] Service engine unloaded: corosync vote quorum service v1.0
corosync[{n}]:   [MAIN  ] Corosync Cluster Engine exiting normally
sbd[{n}]:   notice: main: Doing flush + writing 'b' to sysrq on timeout
sbd[{n}]:   notice: servant_md: Monitoring slot 1 on disk /dev/sdc
sbd[{n}]:   notice: inquisitor_child: Servant cluster is healthy (age: 0)
corosync-qdevice[{n}]: Connected to the quorum device server
"""
VERITAS: Final = """\
kernel: LLT INFO V-14-1-10009 LLT 8.0.0.1 Protocol available
kernel: LLT INFO V-14-1-10024 link 0 (eth1) node 1 active
kernel: GAB INFO V-15-1-20021 GAB available
kernel: GAB INFO V-15-1-20026 Port a registration waiting for seed port membership
kernel: GAB INFO V-15-1-20036 Port a gen   5f{n}01 membership 01
kernel: GAB INFO V-15-1-20036 Port b gen   5f{n}04 membership 01
kernel: GAB INFO V-15-1-20032 Port h closed
kernel: VXFEN INFO V-11-1-35 Fencing driver going into RUNNING state
kernel: VXFEN INFO V-11-1-55 Coordinator disk count 3
kernel: VxVM vxdmp V-5-0-34 added disk array DISKS, datatype = Disk
kernel: VxVM vxdmp V-5-0-148 enabled path 8/0x{n} belonging to the dmpnode 201/0x10
kernel: VxVM vxio V-5-0-1 logger process started
kernel: vxfs: msgcnt {n} mesg 071: V-2-71: vx_set - /dev/vx/dsk/sal/vol file system data I/O error flag cleared
vxvm:vxconfigd: V-5-1-7899 CVM_VOLD_CHANGE command received
vxvm:vxconfigd: V-5-1-7961 establishing cluster for seqno = 0x8{n}
vxvm:vxconfigd: V-5-1-4123 cluster established successfully
Had[{n}]: VCS INFO V-16-1-10077 Received new cluster membership
"""
ENGINE: Final = """\
VCS NOTICE V-16-1-11022 VCS engine (had) started
VCS NOTICE V-16-1-11050 VCS engine version=8.0
VCS INFO V-16-1-10196 Cluster logger started
VCS NOTICE V-16-1-10114 Opening GAB library
VCS INFO V-16-1-10125 GAB timeout set to 30000 ms
VCS NOTICE V-16-1-11057 GAB registration monitoring timeout set to 200000 ms
VCS NOTICE V-16-1-10619 'HAD' starting on: {h}
VCS INFO V-16-1-10077 Received new cluster membership
VCS NOTICE V-16-1-10086 System {h} (Node '0') is in Regular Membership - Membership: 0x3
VCS NOTICE V-16-1-10322 System {h} (Node '0') changed state from CURRENT_DISCOVER_WAIT to LOCAL_BUILD
VCS NOTICE V-16-1-10322 System {h} (Node '0') changed state from LOCAL_BUILD to RUNNING
VCS NOTICE V-16-1-10453 Node: 1 changed name from: '' to: '{h}'
VCS INFO V-16-1-10466 End of snapshot received from node: 0
VCS INFO V-16-1-50135 User root fired command: hagrp -online salgrp  {h}  from localhost
VCS INFO V-16-1-50135 User root fired command: hatype -modify Mount FaultOnMonitorTimeouts 4 from localhost
VCS INFO V-16-1-50135 User root fired command: haconf -dump -makero from localhost
VCS NOTICE V-16-1-10166 Initiating manual online of group salgrp on system {h}
VCS NOTICE V-16-1-10301 Initiating Online of Resource salmnt (Owner: Unspecified, Group: g) on System {h}
VCS INFO V-16-1-10298 Resource salmnt (Owner: Unspecified, Group: salgrp) is online on {h} (VCS initiated)
VCS INFO V-16-1-10297 Resource salmnt (Owner: Unspecified, Group: salgrp) is online on {h} (First probe)
VCS INFO V-16-1-10304 Resource salip (Owner: Unspecified, Group: salgrp) is offline on {h} (First probe)
VCS NOTICE V-16-1-10438 Group salgrp has been probed on system {h}
VCS NOTICE V-16-1-10447 Group salgrp is online on system {h}
VCS NOTICE V-16-1-10300 Initiating Offline of Resource salmnt (Owner: Unspecified, Group: salgrp) on System {h}
VCS INFO V-16-1-10305 Resource salmnt (Owner: Unspecified, Group: salgrp) is offline on {h} (VCS initiated)
VCS NOTICE V-16-1-10446 Group salgrp is offline on system {h}
VCS NOTICE V-16-1-10208 Initiating switch of group salgrp from system {h} to system {h}
VCS INFO V-16-2-13716 ({h}) Resource(salmnt): Output of the completed operation (online)
VCS INFO V-16-2-13001 ({h}) Resource(salip): Output of the completed operation (monitor)
VCS INFO V-16-10001-88 ({h}) Mount:salmnt:online: mounted
VCS NOTICE V-16-10011-350 ({h}) DiskGroup:saldg:online:Volumes of the disk group were started
VCS NOTICE V-16-1-10322 System {h} (Node '1') changed state from RUNNING to LEAVING
VCS NOTICE V-16-1-10322 System {h} (Node '1') changed state from LEAVING to EXITING
VCS NOTICE V-16-1-10322 System {h} (Node '1') changed state from EXITING to EXITED
VCS INFO V-16-1-11141 LLT heartbeat link status changed. Previous status = eth1, UP; Current status = eth1, UP.
VCS INFO V-16-1-53504 VCS Engine Alive message!!
"""
MMFS: Final = """\
runmmfs starting (4{n})
[I] Unmounting file systems ...
[I] mmfsd initializing. {{Version: 5.1.9.2   Built: Feb  1 2031 10:11:12}} ...
[I] This node has a valid standard license
[I] Initializing the fast condition variables at 0x55D ...
[I] The CCR component is being initialized
[I] Cleaning old shared memory ...
[I] First pass parsing mmfs.cfg ...
[I] Enabled automated long waiter detection.
[I] Enabled automated long waiter debug data collection.
[I] Enabled automated expel debug data collection.
[I] Verifying loadable module /usr/lpp/mmfs
[I] Tracing in blocking mode
[I] VERBS RDMA starting with verbsRdmaCm=no verbsRdmaSend=yes verbsRdmaUseMultiCqThreads=yes
[I] VERBS RDMA library libibverbs.so (version >= 1.1) loaded and initialized.
[I] VERBS RDMA discover mlx5_0 port 1 transport IB link  IB NUMA node  0 pkey[0] 0xFFFF state ACTIVE
[I] VERBS RDMA started.
[I] Initializing cluster manager ...
[D] PFD load: mostRecent: 1 seq: {n} (4096)
[I] Loaded policy '': no rules
[I] mmsysmon: started
[I] Connecting to 10.31.4.{n} birch{n} <c0p{n}>
[I] Connected to 10.31.4.{n} birch{n} <c0n{n}>
[I] Accepted and connected to 10.31.4.{n} birch{n} <c0n{n}>
[I] Node 10.31.4.{n} (birch{n}) is now the Group Leader.
[N] Node 10.31.4.{n} (birch{n}) appointed as manager for gpfs7.
[I] Node 10.31.4.{n} (birch{n}) completed take over for gpfs7.
[I] Recovering nodes: 10.31.4.{n}
[I] Recovered 1 nodes for file system gpfs7.
[N] mmfsd ready
[I] Calling user exit script mmStartup: event startup, Async command /var/mmfs/etc/mmfsup.
[I] Command: mount gpfs7
[I] Command: successful mount gpfs7
[I] Command: mmchconfig maxMBpS=24000
[I] Command: successful mmchconfig
[I] Command: mmlsfileset gpfs7
[I] Registering callback mmsdrbackup
[I] Calling user exit script mmSysMonGpfsStartup: event startup, Async command /usr/lpp/mmfs/bin/mmsysmoncontrol.
[I] Calling user exit script gnrPreMount: event preMount
[I] Quota check of gpfs7 completed
[I] Log recovery for log group 3 in gpfs7 completed in 0.0{n} seconds
[I] Node 10.31.4.{n} (birch{n}) leaves for planned maintenance by mmshutdown
[I] Shutdown of node requested by mmshutdown
[N] mmfsd is shutting down.
[N] Reason for shutdown: mmfsadm shutdown command timed out
[N] mmfsd is shutting down normally.
[I] Finished waiting for requests to terminate
[I] Unmounted file system gpfs7 at shutdown
[I] Recall server started
[I] Rotating the log
[D] Leave protocol detail info: LA: 0 LFLG: {n} LFLG delta: 0
[I] Restarted after planned maintenance
"""


def _line_from(template: str, names: tuple[str, ...], pick: random.Random) -> str:
    text = re.sub(r"\{n\}", lambda _: str(pick.randint(10, 63)), template)
    text = re.sub(r"\{h\}", lambda _: pick.choice(names), text)
    return text.replace("{{", "{").replace("}}", "}")


def _clock(second: int) -> str:
    minute, second = divmod(second, 60)
    hour, minute = divmod(minute, 60)
    return f"{4 + hour % 20:02}:{minute:02}:{second:02}"


def _lines(blocks: Iterable[str], names: tuple[str, ...], *, seed: int) -> Iterator[str]:
    pick = random.Random(seed)
    for block in blocks:
        for template in block.splitlines():
            yield _line_from(template, names, pick)


def syslog(*blocks: str, host: str, names: tuple[str, ...] = (), seed: int = 1, times: int = 1) -> str:
    """A system log of a host: kernel lines get their program."""
    rows = []
    for turn in range(times):
        for at, text in enumerate(_lines(blocks, names or (host,), seed=seed + turn)):
            program = "" if re.match(r"[\w./@():-]{1,40}(?:\[\d+\])?: ", text) and _is_daemon(text) else "kernel: "
            rows.append(f"Mar {1 + turn % 28:2} {_clock(at * 7)} {host} {program}{text}")
    return "\n".join(rows) + "\n"


def _is_daemon(text: str) -> bool:
    return re.match(r"(?:kernel|vxvm:vxconfigd|rsyslogd|journal|[\w./()-]{2,40}\[\d+\]): ", text) is not None and not (
        text.startswith(("systemd", "python3[", "traps", "bpfilter")) and "] " not in text
    )


def dmesg(*blocks: str, seed: int = 1, stamped: Callable[[int], str] | None = None) -> str:
    """A kernel's ring buffer."""
    stamp = stamped or (lambda at: f"[{at * 0.37:12.6f}] ")
    return "".join(
        f"{stamp(at)}{text}\n" for at, text in enumerate(_lines(blocks, ("reed4",), seed=seed)) if not _is_daemon(text)
    )


def engine_log(names: tuple[str, ...], *, seed: int = 1, times: int = 1) -> str:
    """An engine's log of a healthy cluster."""
    return "".join(
        f"2031/03/{1 + turn % 28:02} {_clock(at * 9)} {text}\n"
        for turn in range(times)
        for at, text in enumerate(_lines((ENGINE,), names, seed=seed + turn))
    )


def mmfs_log(*, seed: int = 1, times: int = 1) -> str:
    """A log of the daemon of a healthy Scale node."""
    return "".join(
        f"2031-03-{1 + turn % 28:02}_{_clock(at * 5)}.{at % 1000:03}+0100: {text}\n"
        for turn in range(times)
        for at, text in enumerate(_lines((MMFS,), ("birch1",), seed=seed + turn))
    )


def journal(*blocks: str, host: str, seed: int = 1) -> str:
    """The journal with exact stamps."""
    return re.sub(
        r"(?m)^Mar +(\d+) (\S+) ",
        lambda m: f"2031-03-{int(m[1]):02}T{m[2]}+0100 ",
        syslog(*blocks, host=host, seed=seed),
    )
