import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { createWordIndex } from "../../model/posts/word_index.ts";
import { forEachRow } from "../_support/rows.ts";

describe("similar posts", () => {
  it("are not found by words without weight", async () => {
    const index = createWordIndex();
    index.set("a", { title: "Export to a sheet for the board", body: "" });
    index.set("b", { title: "Ein Ordner für das Team", body: "" });
    index.set("c", { title: "Un dossier pour les amis", body: "" });
    await forEachRow(
      ["Login for the app with a key", "Anmeldung für das Konto", "Une clé pour les comptes"],
      async (title) => assertEquals((await index.search(title)).map(({ id }) => id), []),
    );
  });

  it("are found by such words if a title has no others", async () => {
    const index = createWordIndex();
    index.set("a", { title: "Do not", body: "" });
    assertEquals((await index.search("do not")).map(({ id }) => id), ["a"]);
  });
});
