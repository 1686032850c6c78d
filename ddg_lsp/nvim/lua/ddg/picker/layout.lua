-- Where the picker's windows go, from the size of the editor alone. Sizes are those inside the borders.
local M = {}
M.side_by_side = 100 -- columns from which the preview is beside the list
M.with_preview = 18 -- lines from which it is below it
local BORDER, PROMPT = 2, 3

local function share(whole, part, least)
  return math.min(whole, math.max(math.floor(whole * part), math.min(whole, least)))
end

local function box(row, col, width, height)
  return {
    row = row,
    col = col,
    width = math.max(1, width - BORDER),
    height = math.max(1, height - BORDER),
  }
end

-- `{prompt=, results=, preview= or nil}`, each `{row, col, width, height}`.
function M.compute(columns, lines, options)
  local width, height = share(columns, options.width, 70), share(lines, options.height, 16)
  local top, left = math.floor((lines - height) / 2), math.floor((columns - width) / 2)
  local below = height - PROMPT
  if options.preview and width >= M.side_by_side then
    local list = math.floor(width * 0.5)
    return {
      prompt = box(top, left, list, PROMPT),
      results = box(top + PROMPT, left, list, below),
      preview = box(top, left + list, width - list, height),
    }
  end
  local list = options.preview and height >= M.with_preview and math.floor(below * 0.45) or below
  return {
    prompt = box(top, left, width, PROMPT),
    results = box(top + PROMPT, left, width, list),
    preview = list < below and box(top + PROMPT + list, left, width, below - list) or nil,
  }
end

return M
