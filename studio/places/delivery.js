import { call, may, path, Problem } from "../client.js";
import { ask } from "../dialog.js";
import { address, count, h, nodes, pill, say, t, word } from "../dom.js";
import { describe } from "../form.js";

const BUSY_MS = 1000;
const IDLE_MS = 10_000;

/**
 * Shows a delivery while it goes on; nothing where the entry has none.
 *
 * @param {HTMLElement} section
 * @param {string} id
 * @param {AbortSignal} signal
 */
export async function watchDelivery(section, id, signal) {
  let timer = 0;
  let drawn = "";
  signal.addEventListener("abort", () => clearTimeout(timer));

  async function look() {
    clearTimeout(timer);
    try {
      const delivery = await call("GET", path`changelogs/entries/${id}/delivery`, { signal });
      draw(delivery);
      const { state } = delivery;
      if (["done", "cancelled"].includes(state)) return;
      timer = setTimeout(look, ["waiting", "running"].includes(state) ? BUSY_MS : IDLE_MS);
    } catch (error) {
      if (error instanceof Problem && error.status === 404 || signal.aborted) return;
      timer = setTimeout(look, IDLE_MS);
    }
  }

  /** @param {"pause" | "resume" | "cancel"} action */
  async function act(action) {
    try {
      const run = () => call("POST", path`changelogs/entries/${id}/delivery/${action}`);
      if (action !== "cancel") await run();
      else {await ask(t("cancelMail"), [], {
          submit: t("cancelMail"),
          about: t("aboutCancel"),
          danger: true,
          act: run,
        });}
    } catch (error) {
      say(describe(error));
    }
    await look();
  }

  /** @param {any} delivery */
  function draw(delivery) {
    const text = JSON.stringify(delivery);
    if (text === drawn) return;
    drawn = text;
    const { state, sent, failed, deferred, skipped, recipients, problem } = delivery;
    const isOpen = !["done", "cancelled"].includes(state);
    const label = t("mail");
    /** @param {"pause" | "resume" | "cancel"} action @param {string} label */
    const button = (action, label) =>
      h("button", { type: "button", click: () => void act(action) }, label);
    const focused = document.activeElement?.textContent;
    section.hidden = false;
    section.replaceChildren(...nodes([
      h("h2", null, label, " ", pill(state, word(state))),
      recipients > 0 &&
      h("progress", { max: recipients, value: sent + failed + skipped, "aria-label": label }),
      h(
        "dl",
        { class: "numbers" },
        [
          [t("recipients"), recipients],
          [t("sent"), sent],
          [t("failed"), failed],
          [t("deferred"), deferred],
        ].map(([name, value]) =>
          value !== undefined && value !== null &&
          h("div", null, h("dt", null, name), h("dd", null, count(value)))
        ),
      ),
      problem && h("p", { class: "error" }, problem),
      h("div", { class: "actions" }, [
        isOpen && may("entries:publish") && [
          ["waiting", "running"].includes(state)
            ? button("pause", t("pause"))
            : button("resume", t("resume")),
          button("cancel", t("cancelMail")),
        ],
        failed > 0 && may("subscriptions:read") &&
        h("a", { href: address(["entries", id, "failures"]) }, t("failures")),
      ]),
    ]));
    // The button that was pressed may be there again.
    for (const one of section.querySelectorAll("button")) {
      if (focused && one.textContent === focused && document.activeElement === document.body) {
        one.focus();
      }
    }
  }

  await look();
}
