import { type Html, markup } from "../../../model/values/html.ts";
import type { Schema } from "../../../model/values/json_schema.ts";
import type { OpenApi } from "../openapi/types.ts";
import {
  fieldRows,
  renderDescription,
  renderFields,
  renderInline,
  renderTable,
  renderTableRow,
} from "./fields.ts";
import {
  BASE_URL_SLOT,
  type DescribedOperation,
  listOperations,
  renderMethod,
  renderOperation,
  renderRoute,
} from "./operation.ts";
import { DOCS_SCRIPT } from "./script.ts";

/** A part of the page that the table of contents lists. */
interface Section {
  readonly id: string;
  readonly title: string;
  readonly content: Html;
  readonly operations?: readonly DescribedOperation[];
}

/** Draws the icon of the page in a colour on which white is legible. */
function iconOf(color: string): string {
  const path =
    `<path d="M4 5h8M4 8h8M4 11h5" stroke="#fff" stroke-width="1.6" stroke-linecap="round"/>`;
  const icon =
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="${color}"/>${path}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(icon)}`;
}

// The operations at the top, each with the problem that its example shows.
const FIRST_OPERATIONS = new Map([
  ["getBoard", "board_not_found"],
  ["subscribe", "validation_failed"],
]);

/**
 * Renders the reference page of a description. `{base_url}` is a placeholder for the URL under
 * which the reader reaches the server.
 */
export function renderDocsPage(
  api: OpenApi,
  { style, color }: { readonly style: string; readonly color: string },
): string {
  const [intro, ...guide] = api.info.description.split(/^## /m);
  const operations = listOperations(api).toSorted((one, other) => rankOf(one) - rankOf(other));
  const first = [...FIRST_OPERATIONS.keys()].flatMap((id) =>
    operations.filter(({ operation }) => operation.operationId === id)
  );
  const sections = [
    operationsSection("First calls", first, api),
    { id: "operations", title: "All operations", content: renderOperations(operations, api) },
    ...api.tags.map(({ name }) => {
      const inTag = operations.filter(({ operation }) => operation.tags.includes(name));
      return operationsSection(name, inTag.filter((described) => !first.includes(described)), api);
    }),
    objectsSection(api),
    ...guide.map((section) => guideSection(section, api)),
  ];
  return markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="${api.info.summary}">
<title>${api.info.title}</title>
<link rel="icon" href="${iconOf(color)}">
<style>${{ html: style }}</style>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="bar">
<a class="brand" href="#top">${api.info.title}</a>
<button class="menu" type="button" popovertarget="menu">Menu</button>
</header>
<nav id="menu" popover aria-label="Contents">
<search hidden><label for="search">Search</label>
<input id="search" type="search" autocomplete="off" spellcheck="false">
<p id="count" role="status"></p><ul id="found"></ul></search>
<ul id="contents">${sections.map(renderContents)}</ul>
</nav>
<main id="content" tabindex="-1">
<div id="top">
<h1>${api.info.title}</h1>
${renderDescription(intro)}
<dl>
<div><dt>Base URL</dt><dd><code>${BASE_URL_SLOT}</code></dd></div>
<div><dt>Version</dt><dd>${api.info.version}</dd></div>
<div><dt>For programs</dt><dd><a href="openapi.json">openapi.json</a></dd></div>
<div><dt><a href="#authentication">API key</a> for the examples</dt><dd><code>export KEY=…</code></dd></div>
</dl>
</div>
${sections.map(renderSection)}
</main>
<script>${{ html: DOCS_SCRIPT }}</script>
</body>
</html>
`.html;
}

function renderContents({ id, title, operations = [] }: Section): Html {
  const items = operations.map(({ method, operation }) =>
    markup`<li><a href="#${operation.operationId}"><span>${operation.summary}</span>${
      renderMethod(method)
    }</a></li>`
  );
  return markup`<li><a href="#${id}">${title}</a>${
    items.length === 0 ? undefined : markup`<ul>${items}</ul>`
  }</li>`;
}

function renderSection({ id, title, content }: Section): Html {
  return markup`
<section id="${id}" aria-labelledby="${id}-title">
<h2 id="${id}-title"><a href="#${id}">${title}</a></h2>
${content}
</section>`;
}

function guideSection(section: string, api: OpenApi): Section {
  const [title] = section.split("\n", 1);
  const table = title === "Problems" ? renderProblems(api) : undefined;
  const content = markup`${renderDescription(section.slice(title.length))}${table}`;
  return { id: slug(title), title, content };
}

function operationsSection(
  title: string,
  operations: readonly DescribedOperation[],
  api: OpenApi,
): Section {
  const description = api.tags.find(({ name }) => name === title)?.description;
  const content = markup`${description && markup`<p>${renderInline(description)}</p>`}${
    operations.map((described) =>
      renderOperation(described, api, {
        problem: FIRST_OPERATIONS.get(described.operation.operationId),
      })
    )
  }`;
  return { id: slug(title), title, content, operations };
}

// The order of methods is create, list, read, change, delete.
function rankOf({ method, path }: DescribedOperation): number {
  if (method === "DELETE") return 4;
  if (!path.includes("{")) return method === "GET" ? 1 : 0;
  return method === "GET" && path.endsWith("}") ? 2 : 3;
}

function renderOperations(operations: readonly DescribedOperation[], { tags }: OpenApi): Html {
  const row = (described: DescribedOperation) => {
    const { operationId, summary, "x-scope": scope } = described.operation;
    return markup`
<tr>
<th scope="row"><a href="#${operationId}">${summary}</a></th>
<td>${renderRoute(described)}</td>
<td>${scope && markup`<code>${breakable(scope)}</code>`}</td>
</tr>`;
  };
  return markup`<table class="operations">
<thead><tr><th scope="col">Operation</th><th scope="col">Method and path</th><th scope="col">Scope of the key</th></tr></thead>
${
    tags.map(({ name }) =>
      markup`<tbody><tr><th colspan="3" scope="rowgroup">${name}</th></tr>${
        operations.filter(({ operation }) => operation.tags.includes(name))
          .map(row)
      }</tbody>`
    )
  }</table>`;
}

function objectsSection({ components }: OpenApi): Section {
  const objects = Object.entries<Schema>(components.schemas)
    .filter(([, schema]) => schema.properties !== undefined);
  // All fields of a response are required, so that marks would say nothing.
  const content = markup`<p>What responses contain. Every field is always there.</p>${
    objects.map(([name, { description = "", properties }]) =>
      markup`
<article id="${name}" aria-labelledby="${name}-title">
<h3 id="${name}-title"><a href="#${name}">${name}</a></h3>
<p>${renderInline(description)}</p>
${renderFields("Fields", fieldRows({ properties }))}
</article>`
    )
  }`;
  return { id: "objects", title: "Objects", content };
}

function renderProblems({ components }: OpenApi): Html {
  const rows = Object.entries(components.examples).map(([code, { summary, value }]) => {
    const { status } = value as { readonly status: number };
    const title = markup`${status} <code>${breakable(code)}</code>`;
    return renderTableRow(title, renderInline(summary), code);
  });
  return renderTable("Codes", rows, { columns: ["Status and code", "Meaning"] });
}

// A line may break after the punctuation of a long code.
function breakable(code: string): Html {
  return markup`${code.split(/(?<=[_:])/).map((part) => markup`${part}<wbr>`)}`;
}

function slug(title: string): string {
  return title.toLowerCase().replaceAll(" ", "-");
}
