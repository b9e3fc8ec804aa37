# SPDX-License-Identifier: GPL-2.0-only
#
# Every command that a person types. `make help` lists those that users need, `make help-dev`
# those of developers. Scripts under tools/ do the work; they read the settings below from the
# environment, where make puts what its command line sets. Kbuild never reads this file.

.DEFAULT_GOAL := help

# The scripts also run make in kernel trees. That make must not inherit these flags.
unexport MAKEFLAGS MFLAGS MAKEOVERRIDES

# Each is also a profile of packages in tools/packages.
CHECKS := check-core check-static check-docs check-front check-host check-uml \
	check-types check-guest
# What check FAST=1 installs of it. The parts WHOLE of profiles are for the rest.
FAST_CHECKS := check-core check-static check-front check-uml check-guest
WHOLE := check-static-whole check-front-whole check-guest-whole

# Every target is a command.
.PHONY: $(shell sed -n 's/^\([a-z-]*\):.* ## .*/\1/p' $(MAKEFILE_LIST))

##= memcache: memory by cache attribute, measured from inside the kernel
run: ## measure a suite: prints a table, writes result files
	@tools/run

user: ## memcache-user: the same measurements in user space
	@tools/setup build $(filter arm64,$(ARCH))
	@$(MAKE) -s -C tools/user
	@$(MAKE) -s -C examples/memory
	@echo build/user$(addprefix -,$(filter arm64,$(ARCH)))/memcache-user

build: ## the module for Linux KERNEL, or `host`; prints its path
	@tools/setup build $(if $(filter host,$(KERNEL)),,guest) $(filter arm64,$(ARCH))
	@echo "memcache: building the module for Linux $(or $(KERNEL:host=$(shell uname -r)),6.1)$(ARCH:%= on %)" >&2
	@tools/guest/build -k $(or $(KERNEL),6.1)$(addprefix -,$(filter-out x86_64,$(ARCH)))

sign: ## sign the module for the running kernel with KEY
	@tools/setup build
	@ko=$$(tools/guest/build -k host) && tools/sign "$$ko"

load: ## load the module into the running kernel, as root
	@tools/host

unload: ## unload it
	@PATH="$$PATH:/usr/sbin:/sbin" rmmod memcache

install: ## memcache and the sources for DKMS, below PREFIX
	@tools/setup build install
	@tools/packaging/prepare
	@tools/packaging/install $(or $(PARTS),tools dkms)

uninstall: ## remove the installed files of this version
	@tools/packaging/install -u $(or $(PARTS),tools dkms)

deb: ## packages for Debian: memcache-dkms, -tools, -selftests
	@tools/setup build deb
	@tools/packaging/deb

docs: ## the manual and those of releases, as HTML in build/docs
	@tools/setup docs
	@tools/docs

help-dev: ## developers' commands: checks, benchmarks, releases
	@awk -v part=2 -f tools/help.awk $(MAKEFILE_LIST)

##@ Settings, as in `make run KERNEL=6.12`
#= SUITE=cache-attributes  a suite in tools/suites/, or 'TEST key=value ...'
#= WHERE=guest             or host: this machine's kernel, as root
#= GUEST=stock             Debian's kernel under QEMU; or uml: native speed
#= GUEST=types             simulated: UC, WC and WB are real and have a price
#= PRICES=FILE             their prices; tools/sim/prices is a model
#= KERNEL=6.1              or 5.10, 6.1-rt, 6.12, unstable (the newest there is)
#= ARCH=arm64              for run, build, user, check-guest: QEMU emulates it
#= KEY=MOK.priv            signs the module for WHERE=host and load; CERT=MOK.der
#= PREFIX=/usr/local       where `make install` puts files; DESTDIR= precedes it

##= memcache: the commands of developers
help: ## what users need
	@awk -v part=1 -f tools/help.awk $(MAKEFILE_LIST)

##@ Check
check: ## all layers down to check-guest; FAST=1: the main ones
	@tools/setup $(if $(FAST),$(FAST_CHECKS),$(CHECKS) $(WHOLE))
	@tools/check/run

check-core: ## the core natively: unit tests, a short fuzz run
check-static: ## compilers, sparse, checkpatch, shellcheck, spelling
check-docs: ## the manual builds, and all names in it exist
check-front: ## the front end, on made-up records
check-host: ## what a person types, on this machine; memcache-user
check-uml: ## the module at native speed, in User-Mode Linux
check-types: ## a simulated machine: exact verdicts, times, counts
check-guest: ## kselftest and bats in guests: 6.1, 6.12, debug, arm64
$(CHECKS): check-%:
	@tools/setup $@ $(if $(FAST),,$(filter $@-whole,$(WHOLE)))
	@tools/check/run $*

# Those that are no part of `check`: `needs` are profiles of tools/packages.
layer = $(@:check-%=%)
$(shell sed -n 's/^\([a-z-]*\): needs := .*/\1/p' $(MAKEFILE_LIST)):
	@tools/setup $(needs)
	@tools/check/run $(layer)

check-kernels: ## check-guest on every kernel of Debian, and on KCSAN
check-kernels: needs := check-guest check-guest-whole foreign
check-qemu: ## guests that need QEMU 10: CXL, alignment faults
check-qemu: needs := build guest tests arm64 arm64-guest
check-packages: ## the packages: built, installed and purged in chroots
check-packages: needs := build guest deb rpm arch packages
check-signed: ## signed modules: Secure Boot, MOK, sig_enforce
check-signed: needs := build guest tests uefi
check-tree: ## the tests as a target of kselftest in a kernel tree
check-tree: needs := build guest deb

check-ci: ## the files for kernel CI, by their own validators
	@tools/setup build tests ci
	@$(MAKE) -s -C tools/user
	@tools/check/run ci

check-hpc: ## the check of nodes for ReFrame, over Slurm
check-hpc: needs := build hpc
check-fleet: ## the Ansible collection, on hosts over ssh; as root
check-fleet: needs := build tests fleet
check-fleet-hosts: ## Ansible and fleet, on guests, one of them slow; as root
check-fleet-hosts: needs := build guest kernel uml disk deb tests fleet
check-fleet-hosts: layer := "fleet hosts"
check-bisect: ## a bisection over real kernels, one of them slower
check-bisect: needs := build kernel uml tests

check-mutants: ## wrong code, planted in a copy: tests must fail
	@tools/setup check-core $(if $(GENERATED),check-front mutants)
	@$(if $(GENERATED),GENERATED=$(GENERATED) tools/check/mutants,tools/check/run mutants)

check-host-path: ## a person's way on an installed Debian; as root
check-host-path: needs := build guest disk deb tests
check-upstream: ## the KUnit test for the kernel, where types are real
check-upstream: needs := build guest check-static check-static-whole

museum: ## put old mistakes back; print what memcache says
	@tools/setup check-types
	@tools/museum/museum.py $(EXHIBITS)

faults: ## let allocations, CPUs and writers fail at any moment
faults: needs := build guest kernel debug tests
coverage: ## the share of the module's lines that the tests run
coverage: needs := build guest kernel debug tests coverage
coverage: layer := cover
fuzz: ## feed RUNS inputs to each parser of the core
fuzz: needs := check-core
fuzz-guest: ## random writes, mappings and calls in GUEST
fuzz-guest: needs := build guest uml
soak: ## mixed runs in GUEST for HOURS: memory must stay flat
soak: needs := build guest uml

##@ Benchmark
bench-uml: ## the same loops in a kernel and in a process
	@rm -f build/uml.jsonl
	@GUEST=uml tools/run tools/memcache/memcache run --where both --rounds $(or $(ROUNDS),7) \
		-o build/uml.jsonl 'latency size=16K,512K,8M page=4k cpu=0 repeat=50' \
		'bandwidth op=read,write,copy size=16K,512K,8M page=4k cpu=0 repeat=200 warmup=20' \
		'line page=4k cpu=0 repeat=50' 'tlb size=64K,8M page=4k cpu=0 repeat=50' >/dev/null
	@tools/memcache/memcache compare build/uml.jsonl

bench-peers: ## memcache-user against other tools, in turns: ratios
	@tools/setup build peers
	@$(MAKE) -s -C tools/user
	@tools/bench/peers

bench-cost: ## the cost of measuring itself: time, memory
	@GUEST=$${GUEST:-uml} tools/run tools/bench/cost module
	@tools/bench/cost user

bench-noise: ## the spread of equal samples, interrupts on and off
	@GUEST=$${GUEST:-uml} tools/run tools/bench/noise module
	@tools/bench/noise user

bench-store: ## a store of a million made-up results: times and memory
	@tools/bench/growth 100000 10 store

bench-growth: ## how commands grow from 10,000 to 100,000 results
	@tools/bench/growth

bench-fleet: ## a report on HOSTS made-up hosts: its time and memory
	@tools/bench/growth $$(($(or $(HOSTS),10000) * 4)) 10 fleet

##@ Build
describe: ## write the files that follow from the tests' tables
	@tools/setup build
	@tools/describe

setup: ## install all packages (each command does so for itself)
	@tools/setup $(CHECKS) $(WHOLE)

clean: ## remove build/; results/ and the download cache stay
	@rm -rf build

upstream: ## put the KUnit test into the kernel tree LINUX
	@tools/upstream/apply $(LINUX)

upstream-boot: ## a kernel that runs it once on a person's x86-64 machine
	@tools/setup build guest
	@tools/upstream/boot

dist: ## the last commit as a release, in build/dist
	@tools/packaging/dist

release: ## VERSION=1.0.0-rc1, whose tag is on the last commit
	@tools/setup $(CHECKS) $(WHOLE) build deb rpm arch
	@tools/packaging/release

release-sign: ## sign its sums with the maintainers' GPGKEY
	@tools/packaging/release sign

rpm: ## the same packages as `make deb` for Fedora
	@tools/setup build deb rpm
	@tools/packaging/rpm

arch: ## the same packages for Arch Linux
	@tools/setup build deb arch
	@tools/packaging/arch

##@ Settings
#= ACCEL=auto              or kvm, tcg, sim: how QEMU runs a guest
#= FAST=1                 for check: the main layers, with fewer packages
#= ONLY=run.bats           one file or test of one check; a failure says which
#= RUNS=1000000            inputs for `make fuzz`
#= WRITES=50000            for `make fuzz-guest`; and CALLS=200000
#= FAILING=1000            for `make faults`; KILLS=200, OFFLINE=50
#= HOURS=1                 for `make soak`; or MINUTES=60
#= LIMIT_MINUTES=85        ends a check: CUT, with what is left
#= REUSE=no                runs layers again of whose files none has changed
#= HOSTS=10000             for `make bench-fleet`
#= ROUNDS=7                for `make bench-uml`
#= LINUX=DIRECTORY         the kernel tree for `make upstream`
#= GENERATED=300           for check-mutants: by rule; ROOM=core; or MUTANTS=c2c
#= EXHIBITS=left-uc       some of `make museum`, in quotes if several
#= SEED=1                  for fuzz-guest, faults, soak, mutants: the same again
#= PARTS=tools             only this part, of those in tools/packaging/files
