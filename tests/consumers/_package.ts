import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { run } from "../_process.ts";

/** The npm package, as it would be published. */
export interface PackedPackage {
  /** The folder of the unpacked package. */
  readonly folder: string;
  /** The path of the packed one. */
  readonly tarball: string;
}

const BUILD = fileURLToPath(new URL("../../packaging/build.ts", import.meta.url));

/** Builds the package and packs it, in a folder that the caller removes. */
export async function packPackage(root: string): Promise<PackedPackage> {
  const folder = join(root, "dist");
  await run(Deno.execPath(), ["run", "--allow-all", BUILD, folder]);
  const { out } = await run("npm", ["pack", "--json", "--pack-destination", root, folder]);
  const [{ filename }]: { filename: string }[] = JSON.parse(out);
  return { folder, tarball: join(root, filename) };
}

/** Creates a project in a new folder, and installs the packed package and others in it. */
export async function createProject(
  folder: string,
  packages: readonly string[],
  files: Readonly<Record<string, string>>,
): Promise<void> {
  await Deno.mkdir(folder);
  const all = { "package.json": '{ "type": "module", "private": true }\n', ...files };
  for (const [name, text] of Object.entries(all)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
  const flags = ["--no-audit", "--no-fund", "--no-package-lock"];
  await run("npm", ["install", ...flags, ...packages], { cwd: folder });
}
