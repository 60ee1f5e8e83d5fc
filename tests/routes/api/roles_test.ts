import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { ROLE_SCOPES, ROLES } from "../../../model/team/roles.ts";
import { PROMISED } from "../../_support/promised.ts";
import { createService, outcomeOf } from "../../_support/service.ts";
import { signIn } from "../../_support/team.ts";

describe("a role", () => {
  it("opens the operations of its scopes, and no others", async () => {
    const service = createService({ studio: true });
    const called = PROMISED.filter(([, path]) => path.startsWith("/api/v1/"));
    for (const role of ROLES) {
      const { invitation } = await service.call<{ invitation: { url: string } }>("POST", "team", {
        userEmail: `${role}@example.com`,
        userName: role,
        role,
      });
      const browser = await signIn(service, invitation.url);
      const held: readonly string[] = ROLE_SCOPES[role];
      const opened: string[] = [];
      for (const [method, path, scope] of called) {
        // Nothing has this identifier, so that no operation changes anything.
        const response = await browser.send(method, path.replaceAll(/\{\w+\}/g, "none-here"));
        const outcome = await outcomeOf(response);
        const mayOpen = scope === "any" || scope === null || held.includes(scope) ||
          held.includes("*");
        const isRefused = outcome === "403 insufficient_scope";
        if (mayOpen && !isRefused) opened.push(path);
        // Some operations ask for a second scope.
        if (!mayOpen) assertEquals(isRefused, true, `${role} ${method} ${path}: ${outcome}`);
        if (held.includes("*")) assertEquals(isRefused, false, `${method} ${path}`);
      }
      assertEquals(opened.length > 5, true);
    }
  });
});
