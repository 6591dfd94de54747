// SPDX-License-Identifier: MIT
//
// What a person would see of a page of --show-html, measured: put at the end of a copy of it by run.sh. What is wrong becomes the title.
(() => {
    const wrong = [];
    const say = (what) => wrong.length < 5 && wrong.push(what);
    const linear = (part) => (part <= 10.31475 ? part / 3294.6 : ((part / 255 + 0.055) / 1.055) ** 2.4);
    const luminance = (color) => {
        const [red, green, blue] = color.match(/[\d.]+/g).map(Number).map(linear);
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b);
        return (light + 0.05) / (dark + 0.05);
    };
    const inside = (inner, outer) =>
        inner.x >= outer.x - 1 && inner.y >= outer.y - 1 && inner.x + inner.width <= outer.x + outer.width + 1 &&
        inner.y + inner.height <= outer.y + outer.height + 1;

    // The page fits the window; a wide picture scrolls within its frame.
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) say(`the page is ${root.scrollWidth} wide, the window ${root.clientWidth}`);

    // Everything is open, so that what is hidden at first is looked at, too; then text can be read.
    document.querySelectorAll("details").forEach((details) => (details.open = true));
    if (root.scrollWidth > root.clientWidth) say("it is too wide when all is open");
    const paper = getComputedStyle(document.body).backgroundColor;
    for (const element of document.querySelectorAll("h1, h2, h3, p, th, td, li, pre, summary")) {
        const ratio = contrast(getComputedStyle(element).color, paper);
        if (element.textContent.trim() !== "" && ratio < 4.5) say(`contrast ${ratio.toFixed(1)} of <${element.localName}> ${element.className}`);
    }

    // Pictures: labels are within the box that they are in the middle of, boxes and arrows within the picture.
    for (const svg of document.querySelectorAll("svg[role=img]")) {
        const size = svg.viewBox.baseVal;
        const boxes = [...svg.querySelectorAll("rect")].map((rect) => rect.getBBox());
        for (const shape of svg.querySelectorAll("rect, path")) {
            if (!inside(shape.getBBox(), size)) say(`a ${shape.localName} leaves the picture`);
        }
        for (const text of svg.querySelectorAll("text")) {
            const label = text.getBBox();
            const fill = getComputedStyle(text).fill;
            if (!boxes.some((box) => inside({ x: label.x, y: label.y + label.height / 4, width: label.width, height: label.height / 2 }, box))) {
                say(`the label '${text.textContent}' is not in a box`);
            }
            if (contrast(fill, getComputedStyle(svg.querySelector("rect")).fill) < 4.5) say("labels cannot be read");
        }
        for (const path of svg.querySelectorAll("path")) {
            const ends = [path.getPointAtLength(0), path.getPointAtLength(path.getTotalLength())];
            for (const end of ends) {
                const touches = (box) => inside({ x: end.x, y: end.y, width: 0, height: 0 }, box);
                if (!boxes.some(touches)) say(`an arrow ends at ${end.x}, ${end.y}, where nothing is`);
            }
        }
        if (svg.getAttribute("aria-label") === null) say("a picture without a name");
        if (svg.parentElement.clientHeight > Math.max(1210, innerHeight)) say("a picture that has to be scrolled past");
    }
    // A keyboard reaches what scrolls and what opens, and shows where it is; a screen reader knows the parts of the page and of tables.
    for (const element of document.querySelectorAll("*")) {
        if (["auto", "scroll"].includes(getComputedStyle(element).overflowX) && (element.tabIndex < 0 || !element.getAttribute("aria-label"))) {
            say(`<${element.localName}> scrolls, and a keyboard cannot reach it by name`);
        }
    }
    // By the rule, since a window that is not in front shows no focus.
    const rules = [...document.styleSheets].flatMap((sheet) => [...sheet.cssRules]).filter((rule) => rule.selectorText);
    for (const what of ["summary", ".picture"]) {
        const shows = (rule) => rule.selectorText.includes(`${what}:focus-visible`) && /outline: [1-9]/.test(rule.cssText);
        if (!rules.some(shows)) say(`the focus on ${what} does not show`);
    }
    if (document.querySelectorAll("main > h1").length !== 1) say("the page has no main part with one title");
    let level = 1;
    for (const heading of document.querySelectorAll("h1, h2, h3, h4")) {
        if (heading.localName[1] > level + 1) say(`<${heading.localName}> comes after <h${level}>`);
        level = Number(heading.localName[1]);
    }
    for (const row of document.querySelectorAll("table:not(.hash) tr")) {
        if (row.cells[0].localName !== "th" || row.cells[0].scope !== "row") say(`the row '${row.cells[0].textContent}' has no header`);
    }
    for (const section of document.querySelectorAll("h2")) {
        if (section.parentElement.localName !== "section" || !section.parentElement.getAttribute("aria-label")) say("a graph or kernel has no named section");
    }
    for (const element of document.querySelectorAll("[src], link, iframe, object")) say(`it loads something: <${element.localName}>`);
    const counts = ["svg[role=img]", "svg rect", "svg text", "tr"].map((what) => document.querySelectorAll(what).length);
    document.title = `${matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"} ${innerWidth} ${counts.join(" ")}: ${wrong.length === 0 ? "good" : wrong.join("; ")}`;
})();
