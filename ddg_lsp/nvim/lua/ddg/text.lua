-- Fitting text into cells of a terminal. All widths are display cells: a Hangul syllable or an emoji has two.
local M = {}
M.mark = '…'

M.width = vim.fn.strdisplaywidth

local function characters(text)
  return vim.fn.split(text, [[\zs]]) -- composing characters stay with what they belong to
end

-- The beginning of a text, in at most `cells`.
function M.head(text, cells)
  if M.width(text) <= cells then
    return text
  end
  local kept, used = {}, M.width(M.mark)
  for _, character in ipairs(characters(text)) do
    used = used + M.width(character)
    if used > cells then
      break
    end
    kept[#kept + 1] = character
  end
  return cells > 0 and table.concat(kept) .. M.mark or ''
end

-- The end of a text, in at most `cells`.
function M.tail(text, cells)
  if M.width(text) <= cells then
    return text
  end
  local all, first, used = characters(text), nil, M.width(M.mark)
  for i = #all, 1, -1 do
    used = used + M.width(all[i])
    if used > cells then
      break
    end
    first = i
  end
  return cells > 0 and M.mark .. (first and table.concat(all, '', first) or '') or ''
end

-- A path with its end: whole folders go first, then the beginning of the name.
function M.path(path, cells)
  local rest = path
  while M.width(rest) > cells do
    local _, slash = rest:find('/', rest:find('^…/') and #M.mark + 2 or 1, true)
    if not slash then
      return M.tail(path, cells)
    end
    rest = M.mark .. rest:sub(slash)
  end
  return rest
end

-- A heading path with its end: outer headings go first, then the end of the innermost.
-- Returns what is shown of the outer ones (with the separator) and the innermost.
function M.headings(headings, cells)
  local last = headings[#headings]
  for first = 1, #headings do
    local outer = table.concat(headings, ' > ', first, #headings - 1)
    if first > 1 then
      outer = outer == '' and M.mark or M.mark .. ' > ' .. outer
    end
    outer = outer == '' and '' or outer .. ' > '
    if M.width(outer) + M.width(last) <= cells then
      return outer, last
    end
  end
  return '', M.head(last, cells)
end

-- A sentence in lines of at most `cells`.
function M.wrap(sentence, cells)
  local lines, line = {}, ''
  for word in sentence:gmatch('%S+') do
    local longer = line == '' and word or line .. ' ' .. word
    if line ~= '' and M.width(longer) > cells then
      lines[#lines + 1] = line
      longer = word
    end
    line = longer
  end
  lines[#lines + 1] = line
  return lines
end

return M
