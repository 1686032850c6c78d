-- The section of a hit, as the document reads on the screen or, where it is not open, on disk.
local hits = require('ddg.hits')
local text = require('ddg.text')

local M = {}
M.__index = M
local space = vim.api.nvim_create_namespace('ddg.preview')
local MAX_BYTES, MAX_COLOURED = 4000000, 200000

function M.new(buf)
  return setmetatable({ buf = buf, shown = nil }, M)
end

-- Lines as Neovim would show them; nil and why where there are none.
function M.lines_of(uri)
  local name = vim.uri_to_fname(uri)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do -- `bufnr(name)` would take a part of a name for it
    if vim.api.nvim_buf_is_loaded(buf) and vim.api.nvim_buf_get_name(buf) == name then
      return vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    end
  end
  local file = io.open(name, 'rb')
  local content = file and file:read(MAX_BYTES)
  if file then
    file:close()
  end
  if not content then
    return nil, 'The file cannot be read.'
  end
  local lines = vim.split(content:gsub('^\239\187\191', ''), '\r?\n')
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  return lines
end

function M:_fill(lines, uri)
  self.shown = uri
  vim.bo[self.buf].modifiable = true
  vim.api.nvim_buf_set_lines(self.buf, 0, -1, false, lines)
  vim.bo[self.buf].modifiable = false
  local bytes = vim.api.nvim_buf_get_offset(self.buf, #lines)
  if bytes < MAX_COLOURED and not pcall(vim.treesitter.start, self.buf, 'markdown') then
    vim.bo[self.buf].syntax = 'markdown'
  end
end

-- Shows a hit in `win` with its heading at the top; `nil` empties the window.
function M:show(win, hit, width)
  if not win then
    return
  end
  if not hit then
    self:_fill({ '' }, nil)
    return vim.api.nvim_win_set_config(win, { title = '', footer = '' })
  end
  local lines, why = M.lines_of(hit.uri)
  self:_fill(lines or { why }, hit.uri)
  local count, first = vim.api.nvim_buf_line_count(self.buf), hits.line(hit)
  vim.api.nvim_buf_clear_namespace(self.buf, space, 0, -1)
  if lines and first <= count then
    vim.api.nvim_buf_set_extmark(self.buf, space, first - 1, 0, { line_hl_group = 'DdgPreviewLine' })
    vim.api.nvim_win_call(win, function()
      vim.fn.winrestview({ lnum = first, topline = first, col = 0, leftcol = 0, skipcol = 0 })
    end)
  end
  local further = hits.further(hit)
  vim.api.nvim_win_set_config(win, {
    title = (' %s '):format(text.path(hits.place(hit), width - 4)),
    title_pos = 'center',
    footer = further ~= '' and text.head((' also %s '):format(further), width - 2) or '',
    footer_pos = 'left',
  })
end

-- Scrolls by half a window.
function M:scroll(win, down)
  if win then
    vim.api.nvim_win_call(win, function()
      vim.cmd('normal! ' .. vim.keycode(down and '<C-d>' or '<C-u>'))
    end)
  end
end

return M
