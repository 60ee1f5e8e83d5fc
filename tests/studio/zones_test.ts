import { assertEquals } from "@std/assert";
import { it } from "@std/testing/bdd";
import { findZone } from "../../studio/settings/zones.js";

it("a time zone is found by its name as people type it, and else stays as it is", () => {
  const known = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/Sao_Paulo",
    "A/Here",
    "B/Here",
  ];
  const found = ["utc", " berlin", "europe/berlin", "New York", "São Paulo", "here", "Atlantis", ""]
    .map((text) => findZone(text, known));
  assertEquals(found, [
    ...["UTC", "Europe/Berlin", "Europe/Berlin", "America/New_York", "America/Sao_Paulo"],
    ...["here", "Atlantis", ""],
  ]);
});
