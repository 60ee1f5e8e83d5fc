import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { API_KEY_VARIABLE, serveCommand } from "../commands/serve.ts";
import { BODY_TIMEOUT_MS, MAX_BODY_BYTES } from "../routes/_body.ts";
import { MAX_ENTRY_BYTES } from "../routes/entries.ts";
import { run } from "./_process.ts";

const ROOT = new URL("../", import.meta.url);

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

describe("packaging", () => {
  const containerfile = read("packaging/Containerfile").replaceAll("\\\n", " ");
  const unit = read("packaging/boardcast.service");
  const nginx = read("packaging/nginx.conf");

  for (const [name, text] of Object.entries({ containerfile, unit })) {
    it(`${name} sets variables that the command knows`, () => {
      const known = serveCommand.options.map((option) => option.variable);
      const used = [...text.matchAll(/BOARDCAST_[A-Z_]+/g)].map(([variable]) => variable);
      assert(used.length > 0);
      assertEquals(used.filter((name) => ![API_KEY_VARIABLE, ...known].includes(name)), []);
    });
  }

  it("containerfile copies every folder that the command is made of, and no other", async () => {
    const copied = [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)]
      .flatMap(([, sources]) => sources.split(" "));
    const isFolder = (source: string) => Deno.statSync(new URL(source, ROOT)).isDirectory;
    assertEquals(copied.filter(isFolder), await folderNames());
  });

  it("containerfile adds the licenses of what is in the program", () => {
    const [, sources] = /^COPY (.+) \/usr\/share\/doc\/boardcast\/$/m.exec(containerfile)!;
    assertEquals(sources.split(" "), ["LICENSE", "packaging/LICENSE-deno-std"]);
    const text = read("packaging/LICENSE-deno-std");
    for (const part of ["denoland/std)", "denoland/deno)"]) assert(text.includes(part), part);
  });

  it("containerfile builds with the version of Deno that the README names", () => {
    const [, version] = /^FROM docker\.io\/denoland\/deno:(\S+) AS/m.exec(containerfile)!;
    assert(read("README.md").includes(`deno@${version} `));
  });

  it("containerfile and unit give the process no rights", () => {
    assert(/^USER 65532:65532$/m.test(containerfile));
    assert(/^DynamicUser=yes$/m.test(unit));
    assert(/^CapabilityBoundingSet=$/m.test(unit));
  });

  it("containerfile serves on every address, at the port that it exposes, from its volume", () => {
    const settings = [...containerfile.matchAll(/\bBOARDCAST_([A-Z]+)=(\S+)/g)]
      .map(([, name, value]) => [name, value]);
    const valueOf = (instruction: string) =>
      new RegExp(`^${instruction} (.+)$`, "m").exec(containerfile)?.[1];
    assertEquals(Object.fromEntries(settings), {
      HOST: "0.0.0.0",
      PORT: valueOf("EXPOSE"),
      STORAGE: `file:${valueOf("VOLUME")}`,
      LOG: "json",
    });
    assertEquals(valueOf("CMD"), JSON.stringify([serveCommand.name]));
  });

  it("containerfile copies the data folder inside another, which keeps its mode", () => {
    const [, parent, volume] = /mkdir -m 770 (\S+)(\/\w+) /.exec(containerfile)!;
    assert(containerfile.includes(`\nVOLUME ${volume}\n`));
    assert(containerfile.includes(`\nCOPY --from=build --chown=65532:0 ${parent} /\n`));
  });

  it("containerfile and unit stop the process by a signal that it takes", () => {
    assert(/^STOPSIGNAL SIGTERM$/m.test(containerfile));
    assert(/^KillSignal=SIGTERM$/m.test(unit));
  });

  it("unit starts the process again, unless it was called wrongly", () => {
    assert(/^Restart=always$/m.test(unit));
    assert(/^RestartPreventExitStatus=2$/m.test(unit));
  });

  it("unit keeps what is stored from others, in a core file too", () => {
    assert(/^StateDirectoryMode=0700$/m.test(unit));
    assert(/^UMask=0077$/m.test(unit));
    assert(/^LimitCORE=0$/m.test(unit));
  });

  it("unit lets the engine compile", () => {
    assert(/^MemoryDenyWriteExecute=no$/m.test(unit));
  });

  it("nginx passes on every body that the service takes, and waits for its 408", () => {
    const [, kib] = /client_max_body_size (\d+)k;/.exec(nginx)!;
    assert(Number(kib) * 1024 > Math.max(MAX_BODY_BYTES, MAX_ENTRY_BYTES));
    const [, seconds] = /proxy_read_timeout (\d+)s;/.exec(nginx)!;
    assert(Number(seconds) * 1_000 > BODY_TIMEOUT_MS);
  });

  it("nginx logs neither paths nor addresses", () => {
    const [, name, format] = /log_format (\w+) '([^']*)';/.exec(nginx)!;
    assert(new RegExp(`access_log \\S+ ${name};`).test(nginx));
    assertEquals(format.match(/\$(?:request|request_uri|uri|args|remote_addr)\b/g), null);
  });

  it("unit waits longer for a stop than the command takes", () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(unit)!;
    assert(Number(seconds) > 10);
  });

  it("deno task start may do what docs/security.md says, and no more", () => {
    const { start } = JSON.parse(read("deno.json")).tasks;
    const permissions = start.command.replaceAll("'", "").match(/--(?:allow-\S+|no-prompt)/g);
    assertEquals(permissions, [
      "--no-prompt",
      "--allow-net",
      "--allow-read=data",
      "--allow-write=data",
      "--allow-env=BOARDCAST_*,PG*,USERNAME,USER,LOGNAME",
    ]);
    for (const permission of permissions) {
      assert(read("docs/security.md").includes(permission), permission);
    }
  });

  it("no task has its shell look for files", () => {
    const tasks: Readonly<Record<string, { command: string }>> =
      JSON.parse(read("deno.json")).tasks;
    for (const [name, { command }] of Object.entries(tasks)) {
      assertEquals(command.replace(/'[^']*'/g, "").match(/[*?[\]]/g), null, name);
    }
  });

  it("nginx passes on the request ids that the service takes", () => {
    const [, pattern] = /"~(.+)" \$http_x_request_id/.exec(nginx)!;
    assert(read("routes/mod.ts").includes(`/${pattern}/`));
  });
});

/** The folders that the sources under server.ts import from. */
async function folderNames(): Promise<string[]> {
  // By its full path, it would name the folder in another way where that has a # or %.
  const { out } = await run(Deno.execPath(), ["info", "--json", "server.ts"], { cwd: ROOT });
  const graph: { modules: { specifier: string }[] } = JSON.parse(out);
  const paths = graph.modules.map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith(ROOT.href))
    .map((specifier) => specifier.slice(ROOT.href.length));
  const folders = paths.filter((path) => path.includes("/")).map((path) => path.split("/", 1)[0]);
  return [...new Set(folders)].sort();
}
