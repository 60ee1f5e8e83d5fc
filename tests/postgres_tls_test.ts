import { assert, assertEquals, assertRejects } from "@std/assert";
import { after, before, describe, it } from "@std/testing/bdd";
import { type AddressInfo, createServer } from "node:net";
import { TLSSocket } from "node:tls";
import { openDatabase } from "../adapters/_postgres/database.ts";
import { toStatement } from "../adapters/_postgres/statement.ts";
import { openPostgresStorage } from "../adapters/postgres.ts";
import { StorageError } from "../adapters/storage.ts";
import { makeCertificate } from "./_certificate.ts";
import { type HangingUp, type PostgresCluster, startCluster } from "./_postgres.ts";
import { until } from "./_waiting.ts";

// On a busy machine a connection over TLS may take longer than a call has by default.
const PATIENT = { timeoutMs: 10_000 };

describe("postgres over TLS", () => {
  let cluster: PostgresCluster;
  let directory: string;
  let host: string;

  before(async () => {
    directory = await Deno.makeTempDir();
    await Deno.chmod(directory, 0o777);
    cluster = await startCluster({ settings: [`unix_socket_directories=${directory}`] });
    host = cluster.address.replace("127.0.0.1", "localhost");
    await useCertificate(cluster, directory);
  });
  after(async () => {
    await cluster.dispose();
    await Deno.remove(directory, { recursive: true });
  });

  it("the connection is encrypted when sslmode is require", async () => {
    const storage = await openPostgresStorage(
      `postgres://postgres@${host}?sslmode=require`,
      PATIENT,
    );
    const sessions = await cluster.sql`
      select ssl from pg_stat_ssl join pg_stat_activity using (pid)
      where application_name like 'boardcast %'`;
    await storage.close();
    assertEquals(sessions.map((session) => session.ssl), [true]);
  });

  it("open says so when the server has no TLS and sslmode asks for it", async () => {
    const plain = await startCluster();
    try {
      const url = `postgres://postgres@${plain.address.replace("127.0.0.1", "localhost")}?sslmode=`;
      for (const mode of ["allow", "require", "verify-full"]) {
        await assertRejects(
          () => openPostgresStorage(url + mode),
          StorageError,
          "Cannot reach the database: the server offers no TLS",
        );
      }
      const storage = await openPostgresStorage(`${url}prefer`, PATIENT);
      await storage.ping();
      await storage.close();
    } finally {
      await plain.dispose();
    }
  });

  it("there is none over a Unix socket, whatever sslmode says", async () => {
    const [, port] = /:(\d+)/.exec(cluster.address)!;
    const url = `postgres://postgres@:${port}/postgres?host=${directory}&sslmode=require`;
    const storage = await openPostgresStorage(url, PATIENT);
    await storage.ping();
    await storage.close();
  });

  it("the primary is found behind a standby", async () => {
    const standby = await startCluster();
    try {
      await useCertificate(standby, await Deno.makeTempDir({ dir: directory }));
      await becomeStandby(standby);
      const hosts = [standby, cluster].map(({ address }) => address.replace("/postgres", ""));
      const url = `postgres://postgres@${hosts}/postgres?sslmode=require`;
      const storage = await openPostgresStorage(`${url}&target_session_attrs=primary`, PATIENT);
      await storage.ping();
      await storage.close();
    } finally {
      await standby.dispose();
    }
  });

  it("verify-full connects when sslrootcert signed the certificate of the host", async () => {
    const storage = await openPostgresStorage(
      `postgres://postgres@${host}?sslmode=verify-full&sslrootcert=${directory}/ca.pem`,
      PATIENT,
    );
    await storage.ping();
    await storage.close();
  });

  it("verify-full is unavailable when the authority is unknown", async () => {
    const error = await assertRejects(
      () => openPostgresStorage(`postgres://postgres@${host}?sslmode=verify-full`),
      StorageError,
    );
    assertEquals(error.code, "unavailable");
  });

  it("verify-full is refused when the host is an address", async () => {
    const url = `postgres://postgres@${cluster.address}?sslmode=verify-full`;
    await assertRejects(() => openPostgresStorage(url), TypeError, "name the host");
  });

  it("a server that hangs up once the connection is encrypted is tried ten times a second", async () => {
    await using server = await startHangingUpOverTls(await dataFolderOf(cluster));
    const url = `postgres://ann@localhost:${server.port}/x?sslmode=require`;
    const options = { timeoutMs: 500, idleTimeoutMs: 1_000, now: () => 0 };
    const database = openDatabase(url, options);
    // It is given up after a second.
    await assertRejects(() => database.query(toStatement("select 1")));
    const { connections } = server;
    await database.close();
    assert(connections <= 11, `${connections} connections`);
  });

  it("open refuses a file of certificates that can't be read", async () => {
    const url = `postgres://postgres@${host}?sslrootcert=${directory}/none.pem`;
    await assertRejects(() => openPostgresStorage(url), TypeError, "sslrootcert");
  });
});

/** Has a server follow a primary that there is not: it can be read, and takes no writes. */
async function becomeStandby(cluster: PostgresCluster): Promise<void> {
  const data = await dataFolderOf(cluster);
  await cluster.crash();
  await Deno.writeTextFile(`${data}/standby.signal`, "");
  await cluster.start();
}

async function dataFolderOf({ sql }: PostgresCluster): Promise<string> {
  const [{ data_directory: data }] = await sql`show data_directory`;
  return data;
}

/** Starts a listener that hangs up on the first that it is told over TLS, with a key from a folder. */
async function startHangingUpOverTls(folder: string): Promise<HangingUp> {
  const key = await Deno.readTextFile(`${folder}/server.key`);
  const cert = await Deno.readTextFile(`${folder}/server.crt`);
  let connections = 0;
  const server = createServer((plain) => {
    connections++;
    plain.on("error", () => {});
    plain.once("data", () => {
      plain.write("S");
      const encrypted = new TLSSocket(plain, { isServer: true, key, cert });
      encrypted.on("error", () => {});
      encrypted.once("data", () => encrypted.end());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return connections;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => void server.close(() => resolve())),
  };
}

/** Makes an authority, gives the server a certificate for `localhost`, and turns TLS on. */
async function useCertificate(cluster: PostgresCluster, directory: string): Promise<void> {
  const data = await dataFolderOf(cluster);
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
