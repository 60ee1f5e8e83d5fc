/** Icons of the places, as paths of 16 × 16 pixels. @type {Readonly<Record<string, string>>} */
export const ICONS = {
  overview: "M2 13V8m4 5V3m4 10V6m4 7v-3",
  entries: "M3 2h10v12H3zm3 3.5h4M6 8h4m-4 2.5h2",
  subscribers: "M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-5 6c0-5 10-5 10 0",
  pictures: "M2 3h12v10H2zm0 8 3.5-3.5 3 3 2-2L14 12M10.500 6.500h.01",
  ideas: "M5.500 10.500c-3-3 0-8 2.500-8s5.500 5 2.500 8v1.500h-5zM6 14h4",
  boards: "M2 3h5v10H2zm7 0h5v6H9z",
  webhooks: "M9 2 4 9h4l-1 5 5-7H8z",
  keys: "M5.500 13a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 8l6-6m-2.5 2.5L13 6",
  team:
    "M6 7.500a2.500 2.500 0 1 0 0-5 2.500 2.500 0 0 0 0 5zm-4.500 6c0-5 9-5 9 0M11 3.500a2 2 0 1 1 0 4m.5 1.500c2 .3 3 1.800 3 4.500",
  settings:
    "M2 4h6m4 0h2M2 8h2m4 0h6M2 12h7m4 0h1M10 5.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zM6 9.500a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3zm5 4a1.500 1.500 0 1 0 0-3 1.500 1.500 0 0 0 0 3z",
};
