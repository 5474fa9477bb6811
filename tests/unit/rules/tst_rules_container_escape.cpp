// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "podman run --rootfs /",
    "podman run --rootfs /:O sh",
    "kubectl run x --image=y --privileged",
    "kubectl run x --image=y --overrides='{\"spec\":{\"hostPID\":true}}'",
    "kubectl debug node/x -it --image=y",
    "kubectl debug node/x",
    "docker compose -f - up <<< '{\"services\":{\"x\":{\"privileged\":true}}}'",
    "docker build --allow security.insecure .",
    "docker buildx build --allow=security.insecure .",
    "docker buildx create --driver-opt network=host --buildkitd-flags '--allow-insecure-entitlement security.insecure'",
    "apptainer shell -B /:/x y",
    "apptainer exec --bind /etc y sh",
    "singularity exec -B / y sh",
    "lxc launch x -c security.privileged=true",
    "lxc config device add x d disk source=/ path=/h",
    "lxc config set x security.privileged true",
    "incus launch x -c security.privileged=true",
    "docker cp /etc x:/",
    "docker cp x:/a /etc/",
    "docker cp x:/a /usr/bin",
    "docker exec --privileged x sh",
    "docker run --net=host x",
    "docker run --rm -v /:/h x",
    "docker run --volume=/etc:/e x",
    "docker update --cap-add x",
    "docker plugin install x",
    "docker run --runtime=x y",
    "docker run --security-opt apparmor=unconfined x",
    "docker run --cgroup-parent=/ x",
    "docker run --mount type=bind,src=/,dst=/h x",
    "docker service create --mount type=bind,src=/,dst=/h x",
    "docker volume create -o type=none -o o=bind -o device=/ x",
    "docker volume create --opt device=/etc --opt o=bind --opt type=none x",
    "docker run -it --device=/dev/sda x",
    "podman run --security-opt label=disable x",
    "podman unshare ls",
    "buildah bud -v /:/h .",
    "runc run x",
    "ctr run x",
    "kubectl apply -f - <<< '{\"kind\":\"Pod\",\"spec\":{\"hostPID\":true}}'",
    "kubectl apply -f - <<< '{\"spec\":{\"containers\":[{\"securityContext\":{\"privileged\":true}}]}}'",
    "python3 -c \"import docker;docker.from_env().containers.run('x',privileged=True)\"",
    "python3 -c \"import docker;docker.from_env().containers.run('x',volumes={'/':{'bind':'/h'}})\"",
    "node -e \"require('http').get({socketPath:'/var/run/docker.sock',path:'/info'})\"",
    "python3 -c \"import requests_unixsocket;requests_unixsocket.get('http+unix://%2Fvar%2Frun%2Fdocker.sock/info')\"",
    "mknod x b 8 0",
    "mknod x c 1 1",
    "ls /var/run/docker.sock",
    "curl --unix-socket /var/run/docker.sock http://localhost/version",
    "curl --unix-socket=/run/docker.sock http://d/",
    "curl --unix-socket /var/run/doc*.sock http://d/",
    "curl --unix-socket /var/run/d*.sock http://d/",
    "curl --unix-socket /run/*.sock http://d/",
    "ls /run/podman/*",
    "cd /var/run && curl --unix-socket *.sock http://d/",
    "curl --unix-socket /run/../run/docker.sock http://d/",
    "S=/var/run/docker.sock; curl --unix-socket $S http://d/",
    "python3 x.py --sock unix:///var/run/docker.sock",
    "docker -H unix:///var/run/docker.sock ps",
    "docker --host=tcp://x:2375 ps",
    "DOCKER_HOST=tcp://x:2375 docker ps",
    "export DOCKER_HOST=unix:///x",
    "podman --remote ps",
    "docker run --privileged x",
    "docker run -it --pid=host x",
    "docker run --net host x",
    "docker run -v /:/h x",
    "docker run -v /etc:/e:ro x",
    "docker run --volume=/root:/r x",
    "docker run --security-opt seccomp=unconfined x",
    "docker run --cap-add=ALL x",
    "docker run --device /dev/sda x",
    "echo x > /proc/sys/kernel/core_pattern",
    "echo 1 >/proc/sys/vm/drop_caches",
    "echo x | tee /proc/sys/kernel/modprobe",
    "cd /proc/sys/kernel && echo x > core_pattern",
    "sysctl -w vm.x=1",
    "sysctl kernel.core_pattern=x",
    "echo 1 > /sys/kernel/x",
    "echo x > /sys/fs/cgroup/x/release_agent",
    "echo $$ > /sys/fs/cgroup/x/cgroup.procs",
    "cat /proc/1/root/etc/passwd",
    "ls /proc/1/cwd",
    "cat /proc/self/root/etc/passwd",
    "ls -l /proc/1234/fd/",
    "cat /proc/1/mem",
    "dd if=/proc/kcore of=x",
    "cp x /proc/sys/fs/binfmt_misc/register",
    "debugfs /dev/sda1",
    "ctr -n k8s.io containers ls",
    "runc exec x sh",
    "dd if=/dev/sda of=x",
};

constexpr const char *allowed[] = {
    "docker compose -f docker-compose.yml up",
    "docker compose -f dev.yml logs",
    "docker run --rm alpine echo hi",
    "docker cp x:/a out",
    "docker cp a x:/",
    "podman run alpine",
    "kubectl get pods",
    "kubectl logs x",
    "kubectl describe node x",
    "kubectl apply -f k8s.yml",
    "kubectl run x --image=nginx",
    "kubectl debug -it pod/x --image=busybox",
    "docker volume create x",
    "apptainer exec x.sif ls",
    "lxc list",
    "python3 -c \"import docker;print(docker.from_env().containers.list())\"",
    "mknod p p",
    "docker buildx build -t x .",
    "docker network create x",
    "docker ps",
    "ls *",
    "ls ./*",
    "ls -d */",
    "cat */*",
    "git add *",
    "cp * out/",
    "chmod 644 *",
    "ls -la *.sock",
    "ls run/*.sock",
    "ls *agent c* d*",
    "tar czf x.tgz *",
    "sha256sum ./*",
    "docker images",
    "docker build -t x .",
    "docker run --rm alpine ls",
    "docker run -v \"$PWD\":/w alpine ls",
    "docker compose up -d",
    "docker logs web",
    "podman ps",
    "cat /proc/cpuinfo",
    "cat /proc/meminfo",
    "cat /proc/self/status",
    "cat /proc/loadavg",
    "ls /sys/class/net",
    "cat /sys/class/thermal/thermal_zone0/temp",
    "sysctl -a",
    "sysctl kernel.ostype",
    "cat /proc/sys/kernel/hostname",
    "echo /var/run/docker.sock",
    "grep docker.sock compose.yml",
    "sed -n '/docker.sock/p' x",
    "ls /dev",
    "lsblk",
    "df -h",
    "stat /proc/self",
    "head -c 10 /dev/urandom",
};

} // namespace

class TstRulesContainerEscape : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("container_escape")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesContainerEscape)
#include "tst_rules_container_escape.moc"
