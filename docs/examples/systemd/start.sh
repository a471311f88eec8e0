#!/bin/sh
# Installs the program and the unit, and starts the node of this name.
#
#   sudo ./start.sh alpha
#
# DESTDIR: where everything is put, in place of /; nothing is started then.
name=${1:?the name of a node}
cd "$(dirname "$0")" || exit 1
umask 022
top=$(cd ../../.. && pwd)
[ -e "$top/dist/main.js" ] || npm --prefix "$top" ci || exit 1
set -e
program=$DESTDIR/opt/component-registry-node
etc=$DESTDIR/etc/component-registry-node
mkdir -p "$program" "$etc" "$DESTDIR/etc/systemd/system"
for part in dist docs package.json README.md CONTRIBUTING.md CHANGELOG.md; do cp -R "$top/$part" "$program/"; done
# Of the packages, what the program needs when it runs; those for other processors are not there.
needed='const { packages } = JSON.parse(fs.readFileSync("package-lock.json"));
  console.log(Object.keys(packages).filter((at) => at && !packages[at].dev).join("\n"))'
for package in $(cd "$top" && node -e "$needed"); do
  [ -e "$top/$package" ] || continue
  mkdir -p "$program/$package" && cp -R "$top/$package/." "$program/$package/"
done
[ -e "$etc/$name.json" ] || cp ../one-machine/alpha.json "$etc/$name.json"
sed "s|/usr/bin/node|$(command -v node)|" component-registry-node@.service \
  >"$DESTDIR/etc/systemd/system/component-registry-node@.service"
[ -n "$DESTDIR" ] && exit
systemctl daemon-reload
systemctl enable "component-registry-node@$name"
systemctl restart "component-registry-node@$name"
