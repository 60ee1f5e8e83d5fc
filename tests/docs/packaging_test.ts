import { assert, assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { concat } from "../../std.ts";
import { describe, it } from "@std/testing/bdd";
import config from "../../deno.json" with { type: "json" };
import { API_KEY_VARIABLE } from "../../commands/serve/serve_options.ts";
import { serveCommand } from "../../commands/serve/serve.ts";
import { declareModules } from "../../packaging/_declarations.ts";
import { ABOUT } from "../../model/about.ts";
import { BODY_TIMEOUT_MS } from "../../routes/_http/body.ts";
import { forEachRow } from "../_support/rows.ts";

function read(path: string): string {
  return Deno.readTextFileSync(new URL(`../../${path}`, import.meta.url));
}

const containerfile = read("packaging/Containerfile").replaceAll("\\\n", " ");
const unit = read("packaging/boardcast.service");
const nginx = read("packaging/nginx.conf");

describe("packaging", () => {
  it("says what Boardcast is in the same words as the command and the reference", () => {
    const words = `${ABOUT.charAt(0).toLowerCase()}${ABOUT.slice(1)}`;
    assertStringIncludes(unit, `\nDescription=Boardcast: ${words}\n`);
  });

  it("sets variables that the command knows", () => {
    const known = [API_KEY_VARIABLE, ...serveCommand.options.map(({ variable }) => variable)];
    const used = `${containerfile}${unit}`.match(/BOARDCAST_[A-Z_]+/g) ?? [];
    assert(used.length > 0);
    assertEquals(used.filter((name) => !known.includes(name)), []);
  });

  it("has the container serve on every address, at the port that it exposes, from its volume", () => {
    const [, port] = /^EXPOSE (.+)$/m.exec(containerfile)!;
    const settings = `BOARDCAST_HOST=0.0.0.0 BOARDCAST_PORT=${port} BOARDCAST_STORAGE=file:/data`;
    for (const line of [`ENV ${settings} BOARDCAST_LOG=json`, "VOLUME /data", 'CMD ["serve"]']) {
      assertStringIncludes(containerfile, `\n${line}\n`);
    }
  });

  it("builds the container with the licenses of what is in it and the Deno of the README", () => {
    const licenses = "\nCOPY LICENSE packaging/LICENSE-deno-std /usr/share/doc/boardcast/\n";
    assertStringIncludes(containerfile, licenses);
    const text = read("packaging/LICENSE-deno-std");
    for (const part of ["denoland/std)", "denoland/deno)"]) assertStringIncludes(text, part);
    const [, version] = /^FROM docker\.io\/denoland\/deno:(\S+) AS/m.exec(containerfile)!;
    assertStringIncludes(read("README.md"), `deno@${version} `);
  });

  it("runs the same checks on pull requests as .ci/run does by default", () => {
    const [, all] = /^all=\(([^)]*)\)/m.exec(read(".ci/run"))!;
    const [, matrix] = /checks:\n((?: +- .*\n)+)/.exec(read(".github/workflows/ci.yml"))!;
    const named = matrix.replaceAll("- ", "").trim().split(/\s+/);
    assertEquals(named.sort(), all.trim().split(/\s+/).sort());
    const folders = [...Deno.readDirSync(new URL("../slow", import.meta.url))];
    const names = folders.filter(({ isDirectory }) => isDirectory).map(({ name }) => name);
    assertEquals(named, [...names, "check", "test"].sort());
  });

  it("publishes a version with the Deno of the README, by tasks that there are", () => {
    const workflow = read(".github/workflows/release.yml");
    const [, version] = /^ {2}DENO: npx -y deno@(.*)$/m.exec(workflow)!;
    assertStringIncludes(read("README.md"), `deno@${version} `);
    const tasks = [...workflow.matchAll(/\$DENO task (\w+)/g)].map(([, name]) => name);
    assertEquals(tasks, ["compile", "build"]);
    for (const name of tasks) assert(Object.hasOwn(config.tasks, name), name);
  });

  it("publishes programs for machines that its checks run on, by actions that can't change", () => {
    const workflow = read(".github/workflows/release.yml");
    const runners = [...workflow.matchAll(/runner: (\S+)|runs-on: (\w\S+)/g)];
    for (const [, one, other] of runners) assertMatch(one ?? other, /^ubuntu-24\.04(?:-arm)?$/);
    assertStringIncludes(workflow, "run: sudo --preserve-env=PATH bash .ci/run compiled");
    for (const text of [workflow, read(".github/workflows/ci.yml")]) {
      for (const [, action] of text.matchAll(/uses: (\S+)/g)) {
        assertMatch(action, /^(?:\.\/\S+|\S+@[0-9a-f]{40})$/);
      }
      // Only root can install packages.
      for (const [line] of text.matchAll(/.*\.ci\/run.*/g)) {
        assertMatch(line, /^#|checks of|run: sudo --preserve-env=PATH/);
      }
    }
  });

  it("has a private changelog hide pages and feeds, and nothing that mails and apps load", () => {
    const [, pattern] = /location ~ (\^\S+) \{/.exec(read("docs/limits.md"))!;
    const isHidden = (path: string) => new RegExp(pattern).test(path);
    const hidden = ["", "/dark-mode", ".atom", ".json", "/images", "/widgets"];
    for (const end of hidden) assertEquals([end, isHidden(`/changelog${end}`)], [end, true]);
    const open = ["/changelog/images/1-2x3.png", "/changelog/_logo", "/changelog/widget.js"];
    for (const path of [...open, "/unsubscribe/a", "/confirm/a", "/api/v1/boards"]) {
      assertEquals([path, isHidden(path)], [path, false]);
    }
  });

  it("gives the process no rights, keeps data from others, and lets it stop and start again", () =>
    forEachRow([
      [containerfile, /^USER 65532:65532$/m],
      // The volume is copied inside another folder, because it keeps its mode and owner only then.
      [containerfile, /mkdir -m 770 (\S+)\/data .*\n[^]*^COPY .* --chown=65532:0 \1 \/$/m],
      // `systemd-analyze security` checks the other restrictions of the unit.
      [unit, /^StateDirectoryMode=0700$/m],
      [unit, /^UMask=0077$/m],
      [unit, /^LimitCORE=0$/m],
      // The engine compiles code, and so needs writable and executable memory.
      [unit, /^MemoryDenyWriteExecute=no$/m],
      [unit, /^TimeoutStopSec=1[1-9]s$/m],
      [unit, /^Restart=always$/m],
      [unit, /^RestartPreventExitStatus=2$/m],
    ], ([text, pattern]) => assertMatch(text, pattern)));

  it("has nginx pass on every request id that the service takes, and wait for its 408", () => {
    const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(nginx)!;
    assert(Number(seconds) * 1_000 > BODY_TIMEOUT_MS);
    const [, pattern] = /"~(.+)" \$http_x_request_id/.exec(nginx)!;
    assertStringIncludes(read("routes/mod.ts"), `/${pattern}/`);
  });

  it("gives the package a type for all that it exports", async () => {
    const paths = Object.values(config.exports).map((path) => path.replace("./", ""));
    const declared = [...await declareModules(paths)];
    // The package leaves declarations out, so a type that is derived from one would be lost.
    assertEquals(declared.filter(([, text]) => /<typeof [A-Z_]+\.fields>/.test(text)), []);
  });

  it("has the check of types know what the standard library takes", () => {
    // @ts-expect-error: the argument is missing.
    assertThrows(() => concat());
  });

  it("has deno task start do what SECURITY.md says, and no more", () => {
    const start = config.tasks.start.command.replaceAll("'", "");
    const permissions = start.match(/--(?:allow-\S+|no-prompt)/g)!;
    assertEquals(permissions.length, 6);
    for (const permission of permissions) {
      assertStringIncludes(read("SECURITY.md"), permission);
    }
  });
});
