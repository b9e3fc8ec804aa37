# SPDX-License-Identifier: GPL-2.0-only
"""A configuration of ReFrame to start from: the nodes of a partition of Slurm, each of them on its
own. Set the name of your partition, and the scheduler `slurm` if your Slurm keeps accounts."""

site_configuration = {
    "systems": [{
        "name": "cluster",
        "hostnames": [".*"],
        "modules_system": "nomod",
        "partitions": [{
            "name": "memory",
            "scheduler": "squeue",
            "launcher": "local",
            "access": ["--partition=memory"],
            "environs": ["builtin"],
            "max_jobs": 100,
        }],
    }],
    "general": [{"remote_detect": False, "use_login_shell": False}],
}
