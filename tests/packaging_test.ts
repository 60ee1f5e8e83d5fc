import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { API_KEY_VARIABLE, serveCommand } from "../commands/serve.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../routes/_body.ts";
import { MAX_ENTRY_BYTES } from "../routes/entries.ts";
import { forEachRow } from "./_rows.ts";

function read(path: string): string {
  return Deno.readTextFileSync(new URL(`../${path}`, import.meta.url));
}

const containerfile = read("packaging/Containerfile").replaceAll("\\\n", " ");
const unit = read("packaging/boardcast.service");
const nginx = read("packaging/nginx.conf");
const { tasks } = JSON.parse(read("deno.json"));

describe("packaging", () => {
  it("sets variables that the command knows", () => {
    const known = [API_KEY_VARIABLE, ...serveCommand.options.map(({ variable }) => variable)];
    const used = `${containerfile}${unit}`.match(/BOARDCAST_[A-Z_]+/g) ?? [];
    assert(used.length > 0);
    assertEquals(used.filter((name) => !known.includes(name)), []);
  });

  it("gives the process no rights, stops it by a signal that it takes, and keeps data from others", () =>
    forEachRow([
      [containerfile, /^USER 65532:65532$/m],
      [containerfile, /^STOPSIGNAL SIGTERM$/m],
      // The volume is copied inside another folder, as only then it keeps its mode and owner.
      [
        containerfile,
        /mkdir -m 770 (\S+)\/data .*\n[^]*^COPY --from=build --chown=65532:0 \1 \/$/m,
      ],
      [unit, /^DynamicUser=yes$/m],
      [unit, /^CapabilityBoundingSet=$/m],
      [unit, /^KillSignal=SIGTERM$/m],
      [unit, /^StateDirectoryMode=0700$/m],
      [unit, /^UMask=0077$/m],
      [unit, /^LimitCORE=0$/m],
    ], ([text, pattern]) => assertMatch(text, pattern)));

  it("has the container serve on every address, at the port that it exposes, from its volume", () => {
    const settings = [...containerfile.matchAll(/\bBOARDCAST_([A-Z]+)=(\S+)/g)]
      .map(([, name, value]) => [name, value]);
    const [, port] = /^EXPOSE (.+)$/m.exec(containerfile)!;
    const storage = "file:/data";
    assertEquals(Object.fromEntries(settings), {
      ...{ HOST: "0.0.0.0", PORT: port, STORAGE: storage, LOG: "json" },
    });
    assertStringIncludes(containerfile, "\nVOLUME /data\n");
    assertStringIncludes(containerfile, `\nCMD ["${serveCommand.name}"]\n`);
  });

  it("builds the container with the licenses of what is in it and the Deno of the README", () => {
    const licenses = "\nCOPY LICENSE packaging/LICENSE-deno-std /usr/share/doc/boardcast/\n";
    assertStringIncludes(containerfile, licenses);
    const text = read("packaging/LICENSE-deno-std");
    for (const part of ["denoland/std)", "denoland/deno)"]) assertStringIncludes(text, part);
    const [, version] = /^FROM docker\.io\/denoland\/deno:(\S+) AS/m.exec(containerfile)!;
    assertStringIncludes(read("README.md"), `deno@${version} `);
  });

  it("has systemd run the process, again unless it was called wrongly, and wait for its stop", () => {
    // The engine compiles.
    assertMatch(unit, /^MemoryDenyWriteExecute=no$/m);
    assertMatch(unit, /^Restart=always$/m);
    assertMatch(unit, /^RestartPreventExitStatus=2$/m);
    const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(unit)!;
    assert(Number(seconds) > 10);
  });

  it("has nginx pass on every body and request id that the service takes, and wait for its 408", () => {
    const [, kib] = /client_max_body_size (\d+)k;/.exec(nginx)!;
    assert(Number(kib) * 1024 > Math.max(MAX_BODY_BYTES, MAX_ENTRY_BYTES));
    const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(nginx)!;
    assert(Number(seconds) * 1_000 > BODY_TIMEOUT_MS);
    const [, pattern] = /"~(.+)" \$http_x_request_id/.exec(nginx)!;
    assertStringIncludes(read("routes/mod.ts"), `/${pattern}/`);
  });

  it("has nginx log neither paths nor addresses", () => {
    const [, name, format] = /log_format (\w+) '([^']*)';/.exec(nginx)!;
    assertMatch(nginx, new RegExp(`access_log \\S+ ${name};`));
    assertEquals(format.match(/\$(?:request|request_uri|uri|args|remote_addr)\b/g), null);
  });

  it("has deno task start do what docs/security.md says, and no more", () => {
    const permissions = tasks.start.command.replaceAll("'", "").match(/--(?:allow-\S+|no-prompt)/g);
    assertEquals(permissions, [
      ...["--no-prompt", "--allow-net", "--allow-read=data", "--allow-write=data"],
      "--allow-env=BOARDCAST_*,PG*,USERNAME,USER,LOGNAME",
    ]);
    for (const permission of permissions) {
      assertStringIncludes(read("docs/security.md"), permission);
    }
  });

  it("has no task whose shell looks for files", () =>
    forEachRow(Object.values<{ command: string }>(tasks), ({ command }) => {
      assertEquals(command.replace(/'[^']*'/g, "").match(/[*?[\]]/g), null);
    }));
});
