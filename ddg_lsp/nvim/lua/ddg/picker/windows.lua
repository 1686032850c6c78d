-- The windows of the picker: made, moved when the editor's size changes, and taken away again.
local config = require('ddg.config')
local layout = require('ddg.picker.layout')

local M = {}
M.__index = M
local FOOTERS = { results = true, preview = true }

local function scratch(buftype)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.bo[buf].buftype = buftype
  vim.bo[buf].bufhidden = 'wipe'
  vim.bo[buf].undolevels = buftype == 'prompt' and 100 or -1
  return buf
end

local function border(options)
  if options.border ~= '' then
    return options.border
  end
  local chosen = vim.fn.exists('+winborder') == 1 and vim.o.winborder or ''
  return chosen ~= '' and chosen or 'rounded'
end

local function boxes()
  local options = config.get()
  local lines = vim.o.lines - vim.o.cmdheight - (vim.o.laststatus > 0 and 1 or 0)
  return layout.compute(vim.o.columns, math.max(lines, 4), options), border(options)
end

local function settings(box, frame, name, title)
  return {
    relative = 'editor',
    row = box.row,
    col = box.col,
    width = box.width,
    height = box.height,
    border = frame,
    style = 'minimal',
    zindex = 60,
    focusable = true,
    title = title and (' %s '):format(title) or nil,
    title_pos = title and 'center' or nil,
    footer = FOOTERS[name] and frame ~= 'none' and '' or nil,
  }
end

-- Opens all windows; the prompt has the focus.
function M.open(title)
  local self = setmetatable({ title = title, bufs = {}, wins = {} }, M)
  self.bufs.results, self.bufs.preview = scratch('nofile'), scratch('nofile')
  self.bufs.prompt = scratch('prompt')
  vim.bo[self.bufs.prompt].filetype = 'ddg-prompt'
  vim.bo[self.bufs.results].filetype = 'ddg-results'
  for _, name in ipairs({ 'results', 'preview' }) do
    vim.bo[self.bufs[name]].modifiable = false
  end
  vim.fn.prompt_setprompt(self.bufs.prompt, '')
  vim.b[self.bufs.prompt].completion = false -- what completion plugins ask for
  self:arrange()
  return self
end

-- Puts every window where it belongs in an editor of this size.
function M:arrange()
  local found, frame = boxes()
  self.boxes = found
  for _, name in ipairs({ 'results', 'preview', 'prompt' }) do
    local box, win = found[name], self.wins[name]
    if not box and win then
      vim.api.nvim_win_hide(win) -- the buffer is wiped with its window
      self.bufs[name] = scratch('nofile')
      self.wins[name] = nil
    elseif box then
      local wanted = settings(box, frame, name, name == 'prompt' and self.title or nil)
      if win then
        vim.api.nvim_win_set_config(win, wanted)
      else
        wanted.noautocmd = true
        self.wins[name] = vim.api.nvim_open_win(self.bufs[name], name == 'prompt', wanted)
        self:_dress(name)
      end
    end
  end
end

function M:_dress(name)
  local options = vim.wo[self.wins[name]][0]
  options.winhighlight = 'Normal:DdgNormal,FloatBorder:DdgBorder,FloatTitle:DdgTitle,CursorLine:DdgSelected'
  options.wrap = name == 'preview'
  options.linebreak = true
  options.breakindent = true
  options.scrolloff = 0
  options.fillchars = 'eob: ,lastline: '
  options.spell = false
  options.foldenable = false
  options.cursorline = name == 'results'
  options.cursorlineopt = 'line'
  options.winfixbuf = true
  if name == 'prompt' then
    options.statuscolumn = '%#DdgPrompt#> '
  end
end

function M:valid()
  local prompt = self.wins.prompt
  return prompt ~= nil and vim.api.nvim_win_is_valid(prompt)
end

function M:owns(win)
  return vim.tbl_contains(vim.tbl_values(self.wins), win)
end

function M:close()
  for _, name in ipairs({ 'preview', 'results', 'prompt' }) do
    local win, buf = self.wins[name], self.bufs[name]
    if win and vim.api.nvim_win_is_valid(win) then
      vim.api.nvim_win_close(win, true)
    end
    if vim.api.nvim_buf_is_valid(buf) then
      vim.api.nvim_buf_delete(buf, { force = true })
    end
  end
end

return M
