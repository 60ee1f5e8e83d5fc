import { proofTextsOf } from "../../../model/locales/proof_texts.ts";
import { textsOf } from "../../../model/locales/locales.ts";
import { type Html, markup } from "../../../model/values/html.ts";
import type { PublicSite } from "../_page/site.ts";
import { type Attempt, describeError, renderError, renderTrap } from "../_page/address_field.ts";
import { ideaAddress } from "./addresses.ts";
import type { FormTarget } from "./vote_form.ts";

/** Renders the form by which readers report a post to the team. */
export function renderReportForm(
  site: PublicSite,
  target: FormTarget,
  { opened, attempt }: { readonly opened: string; readonly attempt?: Attempt | undefined },
): Html {
  const texts = proofTextsOf(site.language);
  const id = "report";
  return markup`
<form method="post" action="${ideaAddress(site, target)}/report" class="fields">
<input type="hidden" name="opened" value="${opened}">
<label>${texts.reportReason}<textarea name="reason" rows="4" required minlength="3" maxlength="1000" dir="auto"${
    describeError(attempt, "reason", id)
  }>${lineBreak}${attempt?.values.reason}</textarea></label>${
    renderError(attempt, { name: "reason", id, text: texts.badReason })
  }${renderTrap(textsOf(site.language).leaveEmpty)}
<p class="buttons"><button>${texts.report}</button></p>
</form>`;
}

// Browsers drop one line break at the start of a textarea. This one is dropped instead of the
// person's.
const lineBreak: Html = { html: "\n" };
