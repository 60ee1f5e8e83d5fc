import { join } from "node:path";
import { withFolder } from "./folder.ts";
import { run } from "./process.ts";

/** A certificate and its key, and the authority that signed it, as PEM. */
export interface Certificate {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** Makes an authority, and a certificate signed by it for a name. */
export function makeCertificate(name = "localhost"): Promise<Certificate> {
  return withFolder(async (folder) => {
    const openssl = (args: readonly string[]) => run("openssl", args, { cwd: folder });
    const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"];
    await Deno.writeTextFile(join(folder, "names"), `subjectAltName=DNS:${name}\n`);
    await openssl([
      ...["req", "-x509", ...key, "-keyout", "ca.key", "-out", "ca.pem"],
      ...["-subj", "/CN=Test authority", "-days", "1"],
    ]);
    await openssl([
      ...["req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", `/CN=${name}`],
    ]);
    await openssl([
      ...["x509", "-req", "-in", "server.csr", "-out", "server.crt", "-extfile", "names"],
      ...["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days", "1"],
    ]);
    const read = (file: string) => Deno.readTextFile(join(folder, file));
    return {
      ca: await read("ca.pem"),
      cert: await read("server.crt"),
      key: await read("server.key"),
    };
  });
}
