import { assertEquals, assertRejects } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { Buffer } from "node:buffer";
import { crc32c, formatCrc } from "../adapters/_file/crc32c.ts";
import { encodeLine, FORMAT_VERSION } from "../adapters/_file/format.ts";
import { StorageError } from "../adapters/storage.ts";
import { sampleChange } from "./_contract/samples.ts";
import { JOURNAL, SNAPSHOT, textOf } from "./_file/contents.ts";
import { createSimulatedDisk } from "./_file/simulated_disk.ts";
import { openSimulated } from "./_file/simulation.ts";

/** A version as the files have it. */
const VERSION = `"version":${FORMAT_VERSION}`;
const LATER_VERSION = FORMAT_VERSION + 1;

describe("files that a later version wrote", () => {
  for (const change of ["put", "delete"]) {
    it(`are incompatible: a journal with a ${change} in another table`, async () => {
      const lines = [
        writeJournal(FORMAT_VERSION),
        encodeLine({ seq: 1, after: 0, [change]: { later: [change === "put" ? {} : "key"] } }),
      ];
      const error = await refuse(JOURNAL, lines.join(""));
      assertEquals(error.code, "incompatible");
      assertEquals(error.message, `Cannot read ${JOURNAL}: it has an unknown table "later"`);
    });
  }

  it("are incompatible: a snapshot with another table, unless its checksum is wrong", async () => {
    const text = await writeSnapshot();
    for (const before of ['"apiKeys":[', '"counts":']) {
      const later = text.replace(before, `"webhooks":[\n{"url":"x"}\n],\n"more":1,\n${before}`);
      const { code, message } = await refuse(SNAPSHOT, withChecksum(later));
      assertEquals(code, "incompatible");
      assertEquals(message, `Cannot read ${SNAPSHOT}: it has an unknown table "webhooks"`);
      const at = text.indexOf(before);
      for (const content of [later, withChecksum(later).slice(0, -30), later.slice(0, at + 13)]) {
        const error = await refuse(SNAPSHOT, content);
        assertEquals(error.code, "damaged");
        assertEquals(error.message, `Cannot read ${SNAPSHOT}: it is damaged at byte ${at}`);
      }
    }
  });

  it("are incompatible: those of another version, whatever their checksum is", async () => {
    const journal = writeJournal(FORMAT_VERSION);
    for (const [path, text] of [[SNAPSHOT, await writeSnapshot()], [JOURNAL, journal]]) {
      const error = await refuse(path, text.replace(VERSION, `"version":${LATER_VERSION}`));
      assertEquals(error.code, "incompatible");
      assertEquals(
        error.message,
        `Cannot read ${path}: it is of format version ${LATER_VERSION}, and this program ` +
          `knows version ${FORMAT_VERSION}`,
      );
    }
  });

  for (const version of [1.5, `${LATER_VERSION}`, `${FORMAT_VERSION}`, null, undefined]) {
    it(`are incompatible: those of the version ${JSON.stringify(version)}, unless their checksum is wrong`, async () => {
      const member = version === undefined ? "" : `"version":${JSON.stringify(version)},`;
      const snapshot = (await writeSnapshot()).replace(`${VERSION},`, member);
      const journal = writeJournal(FORMAT_VERSION).replace(`${VERSION},`, member);
      for (
        const [path, sound, damaged] of [
          [SNAPSHOT, withChecksum(snapshot), snapshot],
          [JOURNAL, writeJournal(version), journal],
        ]
      ) {
        const { code, message } = await refuse(path, sound);
        assertEquals(code, "incompatible");
        assertEquals(
          message,
          `Cannot read ${path}: it is of format version ${version}, and this program ` +
            `knows version ${FORMAT_VERSION}`,
        );
        const error = await refuse(path, damaged);
        assertEquals(error.code, "damaged");
        assertEquals(error.message, `Cannot read ${path}: it is damaged at byte 0`);
      }
    });
  }

  it("are damaged: those that say nothing of Boardcast", async () => {
    const snapshot = (await writeSnapshot()).replace('"boardcast":"snapshot",', "");
    const record = encodeLine({ seq: 1, after: 0 }).toString();
    for (const [path, text] of [[SNAPSHOT, withChecksum(snapshot)], [JOURNAL, record]]) {
      assertEquals((await refuse(path, text)).code, "damaged");
    }
  });
});

async function refuse(path: string, content: string): Promise<StorageError> {
  const disk = createSimulatedDisk({}, new Map([[path, new TextEncoder().encode(content)]]));
  return await assertRejects(() => openSimulated(disk), StorageError);
}

async function writeSnapshot(): Promise<string> {
  const disk = createSimulatedDisk();
  const storage = await openSimulated(disk);
  for (const email of ["ann@x.io", "bob@x.io"]) {
    await storage.subscriptions.put(sampleChange(email));
  }
  // It is folded before the storage is closed.
  await storage.subscriptions.erase("bob@x.io");
  await storage.close();
  return textOf(disk, SNAPSHOT);
}

function writeJournal(version: unknown): string {
  const header = { boardcast: "journal", version, store: "s", generation: 0, after: 0 } as const;
  return encodeLine({ ...header, version: version as number }).toString();
}

/** Corrects the checksum of a snapshot. */
function withChecksum(text: string): string {
  const covered = text.slice(0, text.lastIndexOf('"crc32c":'));
  return `${covered}"crc32c":"${formatCrc(crc32c(Buffer.from(covered), 0))}"}\n`;
}
