import { assertEquals, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { StorageError } from "../adapters/storage.ts";
import { BOARDS } from "../model/kinds.ts";
import { makeCertificate } from "./_certificate.ts";
import { type PostgresCluster, startCluster } from "./_postgres.ts";
import { until } from "./_waiting.ts";

// On a busy machine a connection over TLS may take longer than a call has by default.
const timeoutMs = 10_000;

describe("postgres over TLS", () => {
  let cluster: PostgresCluster;
  let directory: string;
  let url: string;

  before(async () => {
    directory = await Deno.makeTempDir();
    cluster = await startCluster();
    url = `postgres://postgres@${cluster.address.replace("127.0.0.1", "localhost")}?sslmode=`;
    await useCertificate(cluster, directory);
  });
  after(async () => {
    await cluster.dispose();
    await Deno.remove(directory, { recursive: true });
  });

  it("all connections are encrypted when sslmode is require", async () => {
    const storage = await openPostgresStorage(`${url}require`, { timeoutMs });
    await storage.get(BOARDS, "ideas");
    await storage.ping();
    const sessions = await cluster.sql`
      select ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name = 'boardcast'`;
    await storage.close();
    assertEquals(sessions.map((session) => session.ssl), [true, true]);
  });

  it("verify-full is unavailable when the authority is unknown", async () => {
    const open = () => openPostgresStorage(`${url}verify-full`, { timeoutMs });
    assertEquals((await assertRejects(open, StorageError)).code, "unavailable");
  });

  it("the certificate is checked against an authority that the driver is given", async () => {
    const ca = await Deno.readTextFile(`${directory}/ca.pem`);
    const storage = await openPostgresStorage(url, { timeoutMs, driver: { ssl: { ca } } });
    await storage.ping();
    await storage.close();
  });
});

/** Makes an authority, gives the server a certificate for `localhost`, and turns TLS on. */
async function useCertificate(cluster: PostgresCluster, directory: string): Promise<void> {
  const [{ data_directory: data }] = await cluster.sql`show data_directory`;
  const { ca, cert, key } = await makeCertificate();
  await Deno.writeTextFile(`${directory}/ca.pem`, ca);
  const { uid, gid } = await Deno.stat(data);
  for (const [name, text] of [["server.key", key], ["server.crt", cert]]) {
    await Deno.writeTextFile(`${data}/${name}`, text, { mode: 0o600 });
    await Deno.chown(`${data}/${name}`, uid, gid);
  }
  await cluster.sql`alter system set ssl = on`;
  await cluster.sql`select pg_reload_conf()`;
  await until(async () => (await cluster.sql`show ssl`)[0].ssl === "on");
}
