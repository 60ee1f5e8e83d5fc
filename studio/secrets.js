// Secrets that the server makes and tells once: nothing is made twice, and a secret whose answer
// was lost
// is said to be.

/** @import { Here } from "./dialog.js" */
/** @import { Values } from "./form.js" */
import { ApiProblem, call, ownKeyId, replaceKey } from "./client.js";
import { action, overlapField } from "./dialog.js";
import { say, t } from "./dom.js";
import { isLost, reconnected } from "./work.js";

/** How long the key that somebody is signed in with goes on working, at least. */
const OWN_OVERLAP = "15m";

/**
 * @param {string} list The path of a list.
 * @returns {Promise<any[]>}
 */
async function readAll(list) {
  return (await call("GET", list, { query: { limit: "100" } })).data;
}

/**
 * Makes something that has a secret. An answer that was lost is looked for: its secret is known to
 * nobody, and so is that of a twin, where the browser has sent the request twice.
 *
 * @param {string} list The path of the list that it is in.
 * @param {Record<string, unknown>} json
 * @param {{ id: "keyId" | "webhookId", name: "name" | "url" }} fields
 */
export async function makeSecret(list, json, { id, name }) {
  const before = new Set((await readAll(list)).map((one) => one[id]));
  const findNew = async () =>
    (await readAll(list)).filter((one) => one[name] === json[name] && !before.has(one[id]));
  try {
    const made = await call("POST", list, { json });
    for (const twin of await findNew()) {
      if (twin[id] !== made[id]) await call("DELETE", `${list}/${encodeURIComponent(twin[id])}`);
    }
    return made;
  } catch (error) {
    if (!isLost(error)) throw error;
    await reconnected();
    const found = await findNew();
    if (found.length === 0) throw new ApiProblem({ status: 0, code: "not_carried_out" });
    return { lostSecretOf: json[name] };
  }
}

/** Says what was made, or that its secret was lost. @param {any} made @param {string} text */
export function saidOf(made, text) {
  if (made.lostSecretOf === undefined) return text;
  say(t("secretLost", { name: made.lostSecretOf }), { stays: true });
  return "";
}

/**
 * The button that replaces a secret. The old one goes on working for as long as somebody chooses.
 *
 * @param {Here} visit
 * @param {string} name
 * @param {{ base: string, days: readonly number[], keyId?: string }} options `keyId` is that of a
 *   key.
 */
export function rotation(visit, name, { base, days, keyId }) {
  const isOwn = keyId !== undefined && keyId === ownKeyId();
  const rotate = (/** @type {string} */ overlap) =>
    call("POST", `${base}/rotate`, { json: { overlap } });

  async function run(/** @type {Values} */ { overlap }) {
    if (keyId === undefined) return await rotate(overlap);
    // Until the new secret is here, the old one works: an answer may get lost.
    const isAtOnce = overlap === "0s";
    const before = new Set((await readAll("keys")).map((one) => one.keyId));
    try {
      const made = await rotate(isAtOnce ? OWN_OVERLAP : overlap);
      if (isOwn) await replaceKey(made.key);
      else if (isAtOnce) await call("DELETE", base);
      return made;
    } catch (error) {
      const isTwice = error instanceof ApiProblem && [409, 422].includes(error.status);
      if (!isLost(error) && !isTwice) throw error;
      await reconnected();
      const isMade = (await readAll("keys")).some((one) =>
        one.name === name && !before.has(one.keyId)
      );
      if (isMade) return { lostSecretOf: name };
      throw isTwice ? error : new ApiProblem({ status: 0, code: "not_carried_out" });
    }
  }

  const recover = () => {
    if (keyId !== undefined) throw new ApiProblem({ status: 0, code: "not_carried_out" });
    return { lostSecretOf: name };
  };
  return action(visit, t("rotate"), {
    fields: [overlapField(days)],
    about: isOwn ? t("aboutRotateOwn") : t("aboutRotate"),
    ...keyId !== undefined && { name },
    run,
    recover,
    done: (made) => saidOf(made, t("rotatedIt")),
  });
}
