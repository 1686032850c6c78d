-- One hit as one row of the list: mark, heading path, place. Knows widths, not windows.
local hits = require('ddg.hits')
local text = require('ddg.text')

local M = {}
M.weak = '~ '
M.strong = '  '
local GAP, EDGE, LEAST_PLACE, PLACE_SHARE = 2, 1, 14, 0.4

-- The text of a row of so many cells, and its parts as `{group, first_byte, end_byte}`.
function M.row(hit, cells)
  cells = cells - EDGE
  local mark = hits.is_weak(hit) and M.weak or M.strong
  local room = cells - text.width(mark)
  local whole = text.width(hits.heading(hit))
  local spare = room - GAP - whole
  local place = text.path(hits.place(hit), math.max(LEAST_PLACE, math.floor(room * PLACE_SHARE), spare))
  local for_heading = room - GAP - text.width(place)
  if for_heading < math.min(8, whole) then -- too narrow for both
    place, for_heading = '', room
  end
  local outer, last = text.headings(hits.headings(hit), for_heading)
  local used = text.width(mark .. outer .. last .. place)
  local gap = string.rep(' ', math.max(0, cells - used))
  local weak = hits.is_weak(hit)
  local first = #mark + #outer
  return mark .. outer .. last .. gap .. place,
    {
      { 'DdgWeak', 0, #mark },
      { 'DdgOuter', #mark, first },
      { weak and 'DdgWeak' or 'DdgHeading', first, first + #last },
      { 'DdgPlace', first + #last + #gap, first + #last + #gap + #place },
    }
end

-- What stands below the list: how many hits, how many of them weak, and the condition of the index.
function M.footer(answer, condition, cells)
  local parts, weak = {}, 0
  for _, hit in ipairs(answer and answer.hits or {}) do
    weak = weak + (hits.is_weak(hit) and 1 or 0)
  end
  if answer and answer.query ~= '' then
    parts[1] = #answer.hits == 1 and '1 hit' or ('%d hits'):format(#answer.hits)
    if weak > 0 then
      parts[2] = ('~ %d weak'):format(weak)
    end
  end
  if condition ~= '' then
    parts[#parts + 1] = condition
  end
  return #parts > 0 and text.head((' %s '):format(table.concat(parts, ' · ')), cells) or ''
end

return M
