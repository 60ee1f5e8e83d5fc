import { assertEquals, assertThrows } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { readServers } from "../adapters/_postgres/pool.ts";
import { readTarget } from "../adapters/_postgres/target.ts";
import { withFolder } from "./_folder.ts";

/** Reads a URL without the variables of whoever runs the tests. */
function read(url: string, variables: Record<string, string> = {}) {
  return readTarget(url, variables);
}

describe("the URL of a connection", () => {
  it("is left as it is, but for the servers and the number of connections", () => {
    const url = "postgres://ann@host/db";
    const told = "postgres://ann@localhost/db";
    const rest = { addresses: [{ host: "host", port: 5432 }], database: "db" };
    assertEquals(read(url), { url: told, size: 10, ...rest });
    assertEquals(read(`${url}?max=7`), { url: told, size: 7, ...rest });
    const tls = "sslmode=verify-full&sslrootcert=system";
    assertEquals(read(`${url}?max=9999&${tls}`), { url: `${told}?${tls}`, size: 9_999, ...rest });
    const asking = read(`${url}?application_name=who?&sslmode=verify-full&max=3`);
    assertEquals(new URL(asking.url).searchParams.get("sslmode"), "verify-full");
    assertEquals(asking.size, 3);
  });

  it("has the TLS mode and the kind of server of the variables, unless it names its own", () => {
    const url = "postgres://ann@localhost/db";
    const urlWith = (variables: Record<string, string>, query = "") =>
      read(`${url}${query}`, variables).url.slice(url.length);
    assertEquals(urlWith({ PGSSLMODE: "verify-full", PGSSL: "disable" }), "?sslmode=verify-full");
    assertEquals(urlWith({ PGSSLMODE: "", PGSSL: "disable" }), "?sslmode=disable");
    assertEquals(urlWith({ PGSSLMODE: "verify-full" }, "?sslmode=require"), "?sslmode=require");
    assertEquals(urlWith({ PGSSLMODE: "disable" }, "?ssl=verify-full"), "?ssl=verify-full");
    for (const mode of ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]) {
      assertEquals(urlWith({}, `?sslmode=${mode}`), `?sslmode=${mode}`);
    }
    for (const name of ["PGTARGETSESSIONATTRS", "PGTARGET_SESSION_ATTRS"]) {
      assertEquals(urlWith({ [name]: "read-write" }), "?target_session_attrs=primary");
    }
    assertThrows(() => urlWith({ PGSSLMODE: "always" }), TypeError, 'Cannot use sslmode "always"');
    assertThrows(() => urlWith({ PGTARGETSESSIONATTRS: "standby" }), TypeError, '"standby"');
  });

  it("may have any text in its password, and any name of a database", () => {
    const { url, addresses, database } = read("postgres://ann:a@##:\n@host/a%20b");
    assertEquals(url, "postgres://ann:a@%23%23:\n@localhost/a%20b");
    assertEquals([addresses, database], [[{ host: "host", port: 5432 }], "a b"]);
    assertEquals(read("postgres://host/d").database, "d");
    assertEquals(read("postgres://host/a@\n").database, "a@\n");
    assertEquals(read("postgres://host/").database, undefined);
  });

  it("names files of certificates and keys, which are read", async () => {
    await withFolder(async (directory) => {
      const names = ["sslrootcert", "sslcert", "sslkey"];
      for (const name of names) await Deno.writeTextFile(`${directory}/${name}`, `PEM of ${name}`);
      const query = names.map((name) => `${name}=${directory}/${name}`).join("&");
      const { url, ssl } = read(`postgres://host/db?${query}&sslmode=verify-full`);
      assertEquals(url, "postgres://localhost/db?sslmode=verify-full");
      assertEquals(ssl, { ca: "PEM of sslrootcert", cert: "PEM of sslcert", key: "PEM of sslkey" });
      const missing = "sslrootcert=/nowhere/ca.pem";
      assertThrows(() => read(`postgres://host/db?${missing}`), TypeError, '"/nowhere/ca.pem"');
    });
  });

  it("asks for a primary where it asks for a server that takes writes", () => {
    for (const asked of ["read-write", "primary"]) {
      const { url } = read(`postgres://a,b/db?target_session_attrs=${asked}`);
      assertEquals(url, "postgres://localhost/db?target_session_attrs=primary");
    }
  });

  for (
    const [query, quoted] of [
      ["sslmode=always", '"always"'],
      ["target_session_attrs=standby", '"standby"'],
    ]
  ) {
    it(`is refused with ${query}`, () => {
      assertThrows(() => read(`postgres://host/db?${query}`), TypeError, quoted);
    });
  }

  for (const max of ["0", "-1", "1.5", "10000", "many", ""]) {
    it(`is refused with max=${max}`, () => {
      assertThrows(() => read(`postgres://host/db?max=${max}`), RangeError, `"${max}"`);
    });
  }

  for (const start of ["postgres://", "postgresql://", "PostgreSQL://"]) {
    it(`may start with ${start}`, () => {
      assertEquals(read(`${start}host/db`).url, `${start}localhost/db`);
    });
  }

  const others = [
    "http://host/db",
    "mysql://host/db",
    "postgres+ssl://host/db",
    "a postgres://host",
  ];
  for (const url of ["", "host=a dbname=b", "postgres:a", "/db", "postgres://a%b/db", ...others]) {
    it(`is refused where it is none: ${url}`, () => {
      assertThrows(() => read(url), TypeError, "Cannot parse the connection URL");
    });
  }
});

describe("the servers of a connection URL", () => {
  const socket = (folder: string, port: number) => ({
    host: folder,
    port,
    path: `${folder}/.s.PGSQL.${port}`,
  });
  const readable: readonly [string, Record<string, string>, readonly object[]][] = [
    ["postgres://ann@a,b:6000,c/db", {}, [
      { host: "a", port: 5432 },
      { host: "b", port: 6000 },
      { host: "c", port: 5432 },
    ]],
    ["postgres://ann:p%40ss@[::1]", {}, [{ host: "::1", port: 5432 }]],
    ["postgres://ann:p@ss@[::1]:6000,[::2],b/db", { PGHOST: "c" }, [
      { host: "::1", port: 6000 },
      { host: "::2", port: 5432 },
      { host: "b", port: 5432 },
    ]],
    ["postgres://@[::1],[::2]:6000/db", {}, [
      { host: "::1", port: 5432 },
      { host: "::2", port: 6000 },
    ]],
    ["postgres://%2Frun%2Fpostgresql/db", {}, [socket("/run/postgresql", 5432)]],
    ["postgres://a/db?host=::1", {}, [{ host: "::1", port: 5432 }]],
    ["postgres:///db?host=/run/postgresql&port=6000", {}, [socket("/run/postgresql", 6000)]],
    ["postgres://a/db?host=b,c&port=6000,6001", {}, [
      { host: "b", port: 6000 },
      { host: "c", port: 6001 },
    ]],
    ["postgres://a,b:6000/db", { PGPORT: "7000" }, [
      { host: "a", port: 7000 },
      { host: "b", port: 6000 },
    ]],
    ["postgres:///db", {}, [{ host: "localhost", port: 5432 }]],
    ["postgres://:/db", {}, [{ host: "localhost", port: 5432 }]],
    ["postgres://ann@:6000/db", {}, [{ host: "localhost", port: 6000 }]],
    ["postgres://ann@:6000/db?host=/run", {}, [socket("/run", 6000)]],
    ["postgres://a:6000/db?host=/run", {}, [socket("/run", 6000)]],
    ["postgres://[::1]:6000/db?host=/run", {}, [socket("/run", 6000)]],
    ["postgres://a:6000/db?port=6001", {}, [{ host: "a", port: 6001 }]],
    ["postgres://[::1]:6000/db?host=&port=", {}, [{ host: "::1", port: 6000 }]],
    ["postgres://a:/db", { PGPORT: "6000" }, [{ host: "a", port: 6000 }]],
    ["postgres://ann@/db", { PGHOST: "a" }, [{ host: "a", port: 5432 }]],
    ["postgres:///db", { PGHOST: "::1", PGPORT: "6000" }, [{ host: "::1", port: 6000 }]],
    ["postgres:///db", { PGHOST: "/a,/b,c:6002", PGPORT: "6000,6001,6003" }, [
      socket("/a", 6000),
      socket("/b", 6001),
      { host: "c", port: 6002 },
    ]],
  ];
  for (const [url, variables, addresses] of readable) {
    it(`are those of ${url} with ${JSON.stringify(variables)}`, () => {
      assertEquals(read(url, variables).addresses, addresses);
    });
  }

  const refused: readonly [string, Record<string, string>, string][] = [
    ["postgres://a,/db", {}, "Cannot parse the hosts"],
    [
      "postgres://::1/db",
      {},
      "Cannot parse the hosts to connect to: write HOST:PORT,HOST:PORT, " +
      "and IPv6 addresses in brackets",
    ],
    ["postgres://::1:5432/db", {}, "Cannot parse the hosts"],
    ["postgres://[a]/db", {}, "Cannot parse the hosts"],
    ["postgres://a:b/db", {}, "Cannot parse the hosts"],
    ["postgres://a:1:2/db", {}, "Cannot parse the hosts"],
    ["postgres://a:0/db", {}, "from 1 to 65535"],
    ["postgres://a:65536/db", {}, "from 1 to 65535"],
    ["postgres://a,b,c/db", { PGPORT: "1,2" }, "Cannot use 2 ports for 3 hosts"],
    ["postgres://a,b/db", { PGPORT: "1,2,3" }, "Cannot use 3 ports for 2 hosts"],
    ["postgres://a/db", { PGPORT: "x" }, "from 1 to 65535"],
  ];
  for (const [url, variables, message] of refused) {
    it(`are refused in ${url} with ${JSON.stringify(variables)}`, () => {
      assertThrows(() => read(url, variables), TypeError, message);
    });
  }

  it("are not those of a variable that can't be read", () => {
    const failing = (name: string) => ({
      get PGHOST(): string {
        throw Object.assign(new Error("secret"), { name });
      },
    });
    const open = (name: string) => () => readTarget("postgres:///db", failing(name));
    assertThrows(open("InvalidData"), TypeError, "PGHOST is not valid UTF-8");
    assertThrows(open("NotCapable"), Error, "secret");
  });

  it("are named where their certificate is checked against an authority that the URL names", () =>
    withFolder(async (directory) => {
      await Deno.writeTextFile(`${directory}/ca.pem`, "PEM");
      const query = `?sslrootcert=${directory}/ca.pem`;
      const open = (host: string) => () => readServers(read(`postgres://${host}/db${query}`), 1);
      assertEquals(open("a")().length, 1);
      for (const hosts of ["127.0.0.1", "a,[::1]"]) {
        assertThrows(open(hosts), TypeError, "name the host instead");
      }
    }));

  it("share the time for connecting", () => {
    const servers = readServers(read("postgres://ann@a,b,c/db"), 1_500);
    assertEquals(servers.map(({ timeoutMs }) => timeoutMs), [500, 500, 500]);
  });
});
