import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { SERVER } from "./_process.ts";
import { API_KEY_VARIABLE, serveCommand } from "../commands/serve.ts";

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

  it("containerfile copies every folder that the command is made of, and no other", () => {
    const copied = [...containerfile.matchAll(/^COPY (?!--)(.+) \S+$/gm)]
      .flatMap(([, sources]) => sources.split(" "));
    for (const source of copied) assert(Deno.statSync(new URL(source, ROOT)));
    assertEquals(copied.filter((source) => !source.includes(".")), folderNames());
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

  it("unit waits longer for a stop than the command takes", () => {
    const [, seconds] = /^TimeoutStopSec=(\d+)s$/m.exec(unit)!;
    assert(Number(seconds) > 10);
  });

  it("nginx passes on the request ids that the service takes", () => {
    const [, pattern] = /"~(.+)" \$http_x_request_id/.exec(nginx)!;
    assert(read("routes/mod.ts").includes(`/${pattern}/`));
  });
});

/** The folders that the sources under server.ts import from. */
function folderNames(): string[] {
  const { stdout } = new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", SERVER],
  }).outputSync();
  const graph: { modules: { specifier: string }[] } = JSON.parse(new TextDecoder().decode(stdout));
  const paths = graph.modules.map(({ specifier }) => specifier)
    .filter((specifier) => specifier.startsWith(ROOT.href))
    .map((specifier) => specifier.slice(ROOT.href.length));
  const folders = paths.filter((path) => path.includes("/")).map((path) => path.split("/", 1)[0]);
  return [...new Set(folders)].sort();
}
