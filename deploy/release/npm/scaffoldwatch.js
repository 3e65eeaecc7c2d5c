#!/usr/bin/env node
"use strict";
// Runs the program for this machine, which a package of its own holds (see package.json); the name by
// which it is called, scaffoldwatch or scaffoldwatch-hook, says which program.
const { spawnSync } = require("node:child_process");
const path = require("node:path");

const name = path.basename(process.argv[1]).replace(/\.(js|cmd|ps1)$/, "");
const program = name === "scaffoldwatch-hook" ? name : "scaffoldwatch";
const own = `scaffoldwatch-${process.platform}-${process.arch}`;
let file;
try {
  file = require.resolve(`${own}/bin/${program}${process.platform === "win32" ? ".exe" : ""}`);
} catch {
  console.error(`scaffoldwatch: there is no program for ${process.platform} ${process.arch} here: the package ${own} is not installed (npm leaves it out with --omit=optional)`);
  process.exit(1);
}
const ended = spawnSync(file, process.argv.slice(2), { stdio: "inherit" });
if (ended.error) {
  console.error(`scaffoldwatch: ${ended.error.message}`);
  process.exit(1);
}
process.exit(ended.status === null ? 1 : ended.status);
