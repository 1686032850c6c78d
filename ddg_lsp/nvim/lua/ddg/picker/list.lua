-- The list of hits, or what there is to say where there are none.
local rows = require('ddg.picker.rows')
local status = require('ddg.status')
local text = require('ddg.text')

local M = {}
M.__index = M
local space = vim.api.nvim_create_namespace('ddg.list')

local HINTS = {
  'Ask in your own words, in any language.',
  '',
  'Enter opens · Esc closes',
  'C-x, C-v, C-t open in a split or a tab',
  'C-q fills the quickfix list',
  'C-y copies a link · C-f, C-b scroll',
}

function M.new(buf)
  return setmetatable({ buf = buf }, M)
end

local function words(answer, err)
  if err then
    return { err }
  elseif not answer or answer.query == '' then
    return answer and HINTS or { '' }
  end
  local message = answer.index and answer.index.message
  return { 'Nothing was found.', type(message) == 'string' and message or '' }
end

function M:_set(lines)
  vim.bo[self.buf].modifiable = true
  vim.api.nvim_buf_set_lines(self.buf, 0, -1, false, lines)
  vim.bo[self.buf].modifiable = false
  vim.api.nvim_buf_clear_namespace(self.buf, space, 0, -1)
end

function M:_mark(row, first, last, group)
  vim.api.nvim_buf_set_extmark(self.buf, space, row, first, { end_col = last, hl_group = group })
end

-- One row for each hit, as wide as `cells`.
function M:fill(answer, err, cells)
  if not answer or #answer.hits == 0 then
    local lines = {}
    for _, line in ipairs(words(answer, err)) do
      vim.list_extend(lines, text.wrap(line, cells - 4))
    end
    lines = vim.tbl_map(function(line)
      return '  ' .. line
    end, lines)
    self:_set(lines)
    for row, line in ipairs(lines) do
      self:_mark(row - 1, 0, #line, err and 'ErrorMsg' or 'DdgMessage')
    end
    return
  end
  local lines, parts = {}, {}
  for number, hit in ipairs(answer.hits) do
    lines[number], parts[number] = rows.row(hit, cells)
  end
  self:_set(lines)
  for number, marks in ipairs(parts) do
    for _, mark in ipairs(marks) do
      if mark[3] > mark[2] then
        self:_mark(number - 1, mark[2], mark[3], mark[1])
      end
    end
  end
end

-- Puts the cursor line on a row; nil for none.
function M:select(win, row)
  vim.wo[win][0].cursorline = row ~= nil
  vim.api.nvim_win_set_cursor(win, { row or 1, 0 })
end

function M:footer(win, answer, index, waiting, cells)
  if vim.api.nvim_win_get_config(win).border == 'none' then
    return
  end
  local condition = index and status.words(index) or ''
  if waiting then
    condition = condition == '' and 'asking…' or condition .. ' · asking…'
  end
  vim.api.nvim_win_set_config(win, { footer = rows.footer(answer, condition, cells), footer_pos = 'right' })
end

return M
