/** One bar. */
export interface Bar {
  readonly label: string;
  readonly value: number;
  /** What is written behind the bar. */
  readonly text: string;
  /** Whether the bar stands out from the others. */
  readonly strong?: boolean;
}

/** Bars under a heading of their own; each group has its own scale. */
export interface BarGroup {
  readonly title: string;
  readonly bars: readonly Bar[];
}

const WIDTH = 720;
const LABEL_WIDTH = 190;
const TEXT_WIDTH = 130;
const BAR_HEIGHT = 18;
const BAR_STEP = 24;
const GROUP_GAP = 38;

/** Draws groups of horizontal bars as SVG that can be read on light and dark ground. */
export function barChart(title: string, groups: readonly BarGroup[]): string {
  const drawn: string[] = [];
  let y = 8;
  for (const group of groups) {
    y += GROUP_GAP - 12;
    drawn.push(`<text class="title" x="0" y="${y}">${escapeXml(group.title)}</text>`);
    y += 12;
    const most = Math.max(...group.bars.map(({ value }) => value));
    for (const bar of group.bars) {
      drawn.push(drawBar(bar, most, y));
      y += BAR_STEP;
    }
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 ${WIDTH} ${y + 8}">
<title>${escapeXml(title)}</title>
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328; dominant-baseline: middle }
.title { font-weight: 600 }
rect { fill: #8c959f }
.strong { fill: #0969da }
@media (prefers-color-scheme: dark) { text { fill: #f0f6fc } .strong { fill: #4493f8 } }
</style>
${drawn.join("\n")}
</svg>
`;
}

function drawBar({ label, value, text, strong }: Bar, most: number, y: number): string {
  const length = Math.max(1, Math.round(value / most * (WIDTH - LABEL_WIDTH - TEXT_WIDTH)));
  const middle = y + BAR_HEIGHT / 2;
  return `<text x="0" y="${middle}">${escapeXml(label)}</text>` +
    `<rect${strong ? ' class="strong"' : ""} x="${LABEL_WIDTH}" y="${y}" width="${length}" ` +
    `height="${BAR_HEIGHT}" rx="2"/>` +
    `<text x="${LABEL_WIDTH + length + 8}" y="${middle}">${escapeXml(text)}</text>`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
