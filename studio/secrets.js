// Secrets that the server creates and shows once. Nothing is created twice, and a secret that was
// lost with its response is reported.

/** @import { Here } from "./task.js" */
/** @import { Values } from "./form.js" */
import { ApiProblem, call, replaceKey } from "./client.js";
import { ownKeyId } from "./session.js";
import { duration, say, t } from "./dom.js";
import { action } from "./task.js";
import { isLost, reconnected } from "./work.js";

/** The minimal overlap for the key that the person is signed in with. */
const OWN_OVERLAP = "15m";

/**
 * @param {string} list The path of a list.
 * @returns {Promise<any[]>}
 */
async function readAll(list) {
  return (await call("GET", list, { query: { limit: "100" } })).data;
}

/**
 * Creates a record with a secret. If the response is lost, finds the record by its name: nobody
 * knows its secret. Deletes a second record, which exists if the browser has repeated the request.
 *
 * @param {string} list The path of the list of such records.
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

/** Shows the new secret, or reports that it was lost. @param {any} made @param {string} text */
export function saidOf(made, text) {
  if (made.lostSecretOf === undefined) return text;
  say(t("secretLost", { name: made.lostSecretOf }), { stays: true });
  return "";
}

/**
 * Creates the button that replaces a secret. The old one stays valid for a chosen time.
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
    // The old secret works until the new one has arrived, because a response may get lost.
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

/** The field for the overlap of a replaced secret. @param {readonly number[]} days */
function overlapField(days) {
  return {
    name: "overlap",
    label: t("overlap"),
    type: "select",
    value: "24h",
    options: [
      ["0s", t("notAtAll")],
      ["1h", duration(1, "hour")],
      ...days.map((many) => [`${many * 24}h`, duration(many, "day")]),
    ],
  };
}
